import { ConsoleStream } from '../support/clients/console';
import { targetAt } from '../support/service/target';
import { inTurn, onBothWays, type BothWays } from './both-ways';
import { median } from './load';
import { ratioOf, round, serviceTimes, type Round } from './rounds';
import { borrowAndReturn } from './work';

/**
 * What an open console costs the service: rounds with and without one, in turn, under as many
 * commands as the service takes.
 */

const ROUNDS = 6;
const CLIENTS = 64;
/** Length of a round, and of the one before them that is not counted, seconds. */
const ROUND_S = 8;
const WARM_S = 10;
/**
 * The smallest part of its throughput that is to be left, and the longest silence of the console,
 * milliseconds.
 */
const LEFT_MIN = 0.95;
const SILENCE_MAX_MS = 3000;

interface Measured {
  readonly closed: Round[];
  readonly open: Round[];
  /** Longest time between two samples, milliseconds. */
  silenceMs: number;
}

/** The longest time between two samples, by the service's clock. */
function silenceOf(console: ConsoleStream): number {
  const instants = console.samples().map(({ at }) => Date.parse(at));
  return instants.length < 2
    ? Infinity
    : Math.max(...instants.slice(1).map((at, index) => at - (instants[index] ?? at)));
}

async function measure({ name, subject, tokens, rounds }: BothWays): Promise<Measured> {
  const { admin } = targetAt(name, [subject.url]);
  const measured: Measured = { closed: [], open: [], silenceMs: 0 };
  const load = { clients: CLIENTS, seconds: ROUND_S };
  const withoutConsole = async () =>
    measured.closed.push(await round(subject, load, borrowAndReturn, tokens));
  const withConsole = async () => {
    const console = await ConsoleStream.open(subject.url, admin);
    measured.open.push(await round(subject, load, borrowAndReturn, tokens));
    measured.silenceMs = Math.max(measured.silenceMs, silenceOf(console));
    console.close();
  };
  await round(subject, { clients: CLIENTS, seconds: WARM_S }, borrowAndReturn, tokens);
  await inTurn(rounds, withoutConsole, withConsole, () => {
    process.stderr.write(
      `${subject.name}: ${shown(measured.closed.at(-1))}; with a console ${shown(measured.open.at(-1))}\n`,
    );
  });
  return measured;
}

/**
 * Rate, and milliseconds of processor time for each command by program, which other work on the
 * machine disturbs less.
 */
function shown(one: Round | undefined): string {
  return one
    ? `${one.rate.toFixed(0)} (${one.cpu.map(([program, ms]) => `${program} ${ms.toFixed(2)}`).join(', ')})`
    : '';
}

const ratesOf = (rounds: readonly Round[]): number[] => rounds.map(({ rate }) => rate);

export async function benchConsole(args: readonly string[]): Promise<void> {
  const { rounds, lines } = await onBothWays(args, ROUNDS, async (way) => {
    const { closed, open, silenceMs } = await measure(way);
    const ratio = ratioOf(ratesOf(open), ratesOf(closed));
    const processor = ratioOf(serviceTimes(open), serviceTimes(closed));
    const verdict = ratio.median >= LEFT_MIN && silenceMs <= SILENCE_MAX_MS ? 'reached' : 'missed';
    return `| ${way.subject.name} | ${median(ratesOf(closed)).toFixed(0)} | ${median(ratesOf(open)).toFixed(0)} | ${ratio.median.toFixed(3)} | ${ratio.lowest.toFixed(2)} to ${ratio.highest.toFixed(2)} | ${processor.median.toFixed(3)} | ${silenceMs} ms | ${verdict} |`;
  });
  process.stdout.write(
    [
      `| ${CLIENTS} clients, ${rounds} rounds of ${ROUND_S} s | commands a second | with a console | ratio | spread | processor time, ratio | longest silence | ${LEFT_MIN} |`,
      '|---|---|---|---|---|---|---|---|',
      ...lines,
      '',
    ].join('\n'),
  );
}
