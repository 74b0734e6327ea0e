import { inTurn, onBothWays, type BothWays } from './both-ways';
import { FIRST_READER, HOT_TITLE } from './library';
import { median, putLoad, type Served } from './load';
import { ratioOf, round, type Round } from './rounds';
import { hotBook, type Work } from './work';

/**
 * What one user who sends a hundred times what others send costs those others: rounds with and
 * without that user, in turn. The others borrow one title; the user sends commands for the same
 * title, for others, and of the other services.
 */

const ROUNDS = 6;
const CLIENTS = 64;
/** Of the one user: a hundred times the requests that another client has under way. */
const GREEDY_CLIENTS = 100;
const ROUND_S = 5;
const WARM_S = 10;
/** Most that the p99 of the others may grow to, as a multiple. */
const P99_MAX = 1.5;

/** Of the reader with this token, and no other. */
const greedyReader =
  (userId: number): Work =>
  ([token = '']) => {
    const borrow = (bookInfoId: number) =>
      [{ method: 'POST', path: '/api/borrows', token, body: { bookInfoId } }] as const;
    const post = (number: number) =>
      [
        {
          method: 'POST',
          path: '/posts',
          token,
          body: { title: `Post ${number}`, content: 'Much.', userId, tags: ['much'] },
        },
      ] as const;
    const subscribe = (course: number) =>
      [{ method: 'POST', path: `/courses/${course}/subscriptions`, token }] as const;
    return Array.from({ length: 400 }, (_, number) => [
      borrow(HOT_TITLE),
      borrow(1 + number),
      post(number),
      subscribe(1 + number),
    ]).flat();
  };

interface Measured {
  readonly alone: Round[];
  readonly beside: Round[];
  readonly greedy: Served[];
}

async function measure({ subject, tokens, rounds }: BothWays): Promise<Measured> {
  const measured: Measured = { alone: [], beside: [], greedy: [] };
  const load = { clients: CLIENTS, seconds: ROUND_S };
  const [last = ''] = tokens.slice(-1);
  const others = tokens.slice(0, -1);
  const greedy = greedyReader(FIRST_READER + others.length);
  const alone = async () => measured.alone.push(await round(subject, load, hotBook, others));
  const beside = async () => {
    const [one, its] = await Promise.all([
      round(subject, load, hotBook, others),
      putLoad(subject.url, { clients: GREEDY_CLIENTS, seconds: ROUND_S }, greedy, [last]),
    ]);
    measured.beside.push(one);
    measured.greedy.push(its);
  };
  await round(subject, { clients: CLIENTS, seconds: WARM_S }, hotBook, others);
  await inTurn(rounds, alone, beside, () => {
    const [before, after, its] = [
      measured.alone.at(-1),
      measured.beside.at(-1),
      measured.greedy.at(-1),
    ];
    process.stderr.write(
      `${subject.name}: p99 ${before?.p99.toFixed(1)} ms, ${after?.p99.toFixed(1)} ms beside the one user, who was answered ${its?.succeeded} and refused ${its?.refused} times\n`,
    );
  });
  return measured;
}

const p99s = (rounds: readonly Round[]): number[] => rounds.map(({ p99 }) => p99);

export async function benchFairness(args: readonly string[]): Promise<void> {
  const { rounds, lines } = await onBothWays(args, ROUNDS, async (way) => {
    const { alone, beside } = await measure(way);
    const ratio = ratioOf(p99s(beside), p99s(alone));
    const rate = ratioOf(
      beside.map((one) => one.rate),
      alone.map((one) => one.rate),
    );
    const verdict = ratio.median <= P99_MAX ? 'reached' : 'missed';
    return `| ${way.subject.name} | ${median(p99s(alone)).toFixed(1)} ms | ${median(p99s(beside)).toFixed(1)} ms | ${ratio.median.toFixed(2)} | ${ratio.lowest.toFixed(2)} to ${ratio.highest.toFixed(2)} | ${rate.median.toFixed(2)} | ${verdict} |`;
  });
  const head = `| ${CLIENTS} clients, and one user with ${GREEDY_CLIENTS}, ${rounds} rounds of ${ROUND_S} s | p99 alone | p99 beside | ratio | spread | rate, ratio | ${P99_MAX} |`;
  process.stdout.write([head, '|---|---|---|---|---|---|---|', ...lines, ''].join('\n'));
}
