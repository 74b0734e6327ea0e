import { parseArgs } from 'node:util';
import { exportServers } from '../support/servers/fresh';
import { newSecret } from '../support/service/processes';
import { provideServers } from '../support/servers/servers';
import { exportedSecret, type TargetName } from '../support/service/target';
import { readerTokens } from './library';
import { lendline, lendlineEmbedded, type LendlineSubject } from './subjects';

/** Benchmarks of Lendline alone, on both ways of running. */

export interface BothWays {
  readonly name: TargetName;
  readonly subject: LendlineSubject;
  readonly tokens: readonly string[];
  readonly rounds: number;
}

/**
 * `--rounds` and `--on`, with what is measured on each way that they name, its programs started
 * with `env`. Resolves with the rounds, and a line for each way.
 */
export async function onBothWays(
  args: readonly string[],
  rounds: number,
  measure: (way: BothWays) => Promise<string>,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly rounds: number; readonly lines: readonly string[] }> {
  const { values } = parseArgs({
    args: [...args],
    options: { rounds: { type: 'string', default: String(rounds) }, on: { type: 'string' } },
  });
  exportServers(await provideServers());
  const secret = exportedSecret(newSecret);
  const tokens = readerTokens(secret);
  const makers = { servers: lendline, embedded: lendlineEmbedded };
  const lines: string[] = [];
  for (const name of ['servers', 'embedded'] as const) {
    if (values.on !== undefined && values.on !== name) continue;
    lines.push(
      await measure({
        name,
        subject: await makers[name](secret, { env }),
        tokens,
        rounds: Number(values.rounds),
      }),
    );
  }
  return { rounds: Number(values.rounds), lines };
}

/** Runs both so often, in turn. Who goes first changes, for a library grows with every round. */
export async function inTurn(
  rounds: number,
  one: () => Promise<unknown>,
  other: () => Promise<unknown>,
  tell: () => void,
): Promise<void> {
  for (let turn = 0; turn < rounds; turn += 1) {
    for (const run of turn % 2 === 0 ? [one, other] : [other, one]) await run();
    tell();
  }
}
