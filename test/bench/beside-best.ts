import type { Cell, Contest } from './contest';
import { EQUAL_RIVALS, RIVAL_NAMES } from './rivals/rival';
import { bestByTurn, medianTimes, rates, ratioOf, serviceTimes, type Measured } from './rounds';
import type { Line } from './tables';

/** One subject beside the best rival of each load. */

/** What has to be reached beside the best rival of each cell, whatever it promises or as we do. */
const BESIDE_BEST: readonly (Cell & { readonly bound: number })[] = [
  { work: 'one hot book', clients: 128, bound: 8 },
  { work: 'one hot book', clients: 1024, bound: 12 },
  { work: 'by popularity', clients: 1024, bound: 1.6 },
  { work: 'by popularity', clients: 128, bound: 1.2 },
  { work: 'by popularity', clients: 16, bound: 0.7 },
];
export const ALL_RIVALS: readonly string[] = Object.values(RIVAL_NAMES);
export const EQUALS: readonly string[] = EQUAL_RIVALS.map((kind) => RIVAL_NAMES[kind]);

/**
 * Of each turn, what the best of those that took part reached; the least where less is better.
 */
function bestOf(
  bench: Contest,
  names: readonly string[],
  { work, clients }: Cell,
  figures: (measured: Measured) => number[],
  best: (...values: number[]) => number,
): number[] {
  const measured = names.flatMap((name) => bench.find(name, work, clients) ?? []);
  return bestByTurn(measured.map(figures), best);
}

/** `ours` beside the best rival, and beside the best with equal promises. */
export function besideBest(bench: Contest, ours: string): Line[] {
  const lone = { work: 'by popularity', clients: 1 } as const;
  const compared = (
    names: readonly string[],
    cell: Cell,
    figures: (measured: Measured) => number[],
    best: (...values: number[]) => number,
  ) =>
    ratioOf(
      figures(bench.get(ours, cell.work, cell.clients)),
      bestOf(bench, names, cell, figures, best),
    );
  return [
    { names: ALL_RIVALS, beside: 'the best rival' },
    { names: EQUALS, beside: 'the best with equal promises' },
  ]
    .filter(({ names }) => names.some((name) => bench.find(name, lone.work, lone.clients)))
    .flatMap(({ names, beside }) => [
      ...BESIDE_BEST.map(({ bound, ...cell }) => ({
        what: `${cell.work}, ${cell.clients} clients, beside ${beside}`,
        ratio: compared(names, cell, rates, Math.max),
        bound,
      })),
      {
        what: `by popularity, 1 client: median time beside ${beside}`,
        ratio: compared(names, lone, medianTimes, Math.min),
        bound: 2.5,
        atMost: true,
      },
      {
        what: `by popularity, 1 client: processor time beside ${beside}`,
        ratio: compared(names, lone, ({ rounds }) => serviceTimes(rounds), Math.min),
        bound: 4,
        atMost: true,
      },
    ]);
}
