import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { exportServers } from '../support/servers/fresh';
import { newSecret } from '../support/service/processes';
import { provideServers } from '../support/servers/servers';
import { assertSound, Contest, type Cell, type WorkName } from './contest';
import { ratioOf, serviceTimes } from './rounds';
import { bareExpress, lendline, type LendlineSubject } from './subjects';

/**
 * `npm run bench -- quick`: what a borrow costs all programs together, in that of a bare Express
 * request in the same round, beside the last release. Processor time says the same on a busy
 * machine. Options:
 *
 * - `--save` keeps the figures as those of a release
 * - `--beside FOLDER` compares with the build in another checkout instead
 */

const CELLS: readonly Cell[] = [
  { work: 'one hot book', clients: 128 },
  { work: 'by popularity', clients: 128 },
];
/** What may be noise. */
const TOLERANCE = 1.1;
const KEPT = join(__dirname, 'last-release.json');

type Costs = Partial<Record<WorkName, number>>;

/** The cost of each work: a borrow in requests of bare Express. */
function costsOf(bench: Contest, subject: string, bare: string): Costs {
  return Object.fromEntries(
    CELLS.map(({ work, clients }) => {
      const times = (name: string) => serviceTimes(bench.get(name, work, clients).rounds);
      return [work, Number(ratioOf(times(subject), times(bare)).median.toFixed(2))];
    }),
  );
}

function compared(now: Costs, before: Costs): string[] {
  return CELLS.map(({ work }) => {
    const [cost, former] = [now[work] ?? NaN, before[work] ?? NaN];
    const isWorse = cost > former * TOLERANCE;
    return `${isWorse ? 'SLOWER: ' : ''}${work}: ${cost} times a bare request, ${former} before`;
  });
}

export async function benchQuick(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '3' },
      beside: { type: 'string' },
      save: { type: 'boolean', default: false },
    },
  });
  exportServers(await provideServers());
  const secret = newSecret();
  const bench = new Contest(secret, Number(values.rounds));
  const bare = await bareExpress();
  const ours: LendlineSubject[] = [await lendline(secret)];
  if (values.beside) ours.push(await lendline(secret, { name: 'before', checkout: values.beside }));
  await bench.compare([bare, ...ours], CELLS);
  for (const { name, database } of ours) await assertSound(name, database);
  const now = costsOf(bench, 'Lendline', bare.name);
  const before = values.beside
    ? costsOf(bench, 'before', bare.name)
    : (JSON.parse(await readFile(KEPT, 'utf8')) as Costs);
  const lines = compared(now, before);
  process.stdout.write(`${lines.join('\n')}\n`);
  if (values.save) await writeFile(KEPT, `${JSON.stringify(now, null, 2)}\n`);
  if (lines.some((line) => line.startsWith('SLOWER'))) process.exitCode = 1;
}
