import { processorTime, programsOf, spent } from './cpu';
import { returnAll, settled } from './library';
import { median, putLoad, type Load, type Served } from './load';
import type { Subject } from './subjects';
import type { Work } from './work';

/** Rounds of load, and what they come to. */

/** As a program among the others. */
export const LOAD_GENERATOR = 'load generator';

export interface Round extends Served {
  /** Milliseconds of processor time for each success, by program. */
  readonly cpu: readonly (readonly [program: string, ms: number])[];
}

/** One subject under one load, in several rounds. */
export interface Measured {
  readonly subject: string;
  readonly work: string;
  readonly clients: number;
  readonly rounds: Round[];
}

/** One round, on shelves that are full. */
export async function round(
  { name, url, database }: Subject,
  load: Load,
  work: Work,
  tokens: readonly string[],
): Promise<Round> {
  if (database) await returnAll(database);
  const own = programsOf(name);
  const before = processorTime();
  const served = await putLoad(url, load, work, tokens);
  const cpu = [
    ...spent(before, processorTime(), served.succeeded).filter(([program]) =>
      own.includes(program),
    ),
    [LOAD_GENERATOR, (1000 * served.processorS) / served.succeeded] as const,
  ];
  // What was left under way by clients that went must not burden who comes next.
  if (database) await settled(database);
  return { ...served, cpu };
}

export interface Ratio {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

/** What each round comes to beside the one of the other subject in the same turn. */
export function ratioOf(ours: readonly number[], theirs: readonly number[]): Ratio {
  const ratios = ours.map((value, index) => value / (theirs[index] ?? NaN));
  return { median: median(ratios), lowest: Math.min(...ratios), highest: Math.max(...ratios) };
}

/** Of each turn, what the best of several subjects reached. */
export const bestByTurn = (
  subjects: readonly (readonly number[])[],
  best: (...values: number[]) => number,
): number[] =>
  (subjects[0] ?? []).map((_, turn) => best(...subjects.map((values) => values[turn] ?? NaN)));

export const rates = ({ rounds }: Measured): number[] => rounds.map(({ rate }) => rate);
export const medianTimes = ({ rounds }: Measured): number[] => rounds.map(({ p50 }) => p50);

/**
 * Processor time of each success, milliseconds, of all programs of the service together, in the
 * order of the rounds.
 */
export const serviceTimes = (rounds: readonly Round[]): number[] =>
  rounds.map(({ cpu }) =>
    cpu.filter(([program]) => program !== LOAD_GENERATOR).reduce((sum, [, ms]) => sum + ms, 0),
  );

/** Processor time by program, the median of the rounds. */
export function cpuOf({ rounds }: Measured): [program: string, ms: number][] {
  const programs = [...new Set(rounds.flatMap(({ cpu }) => cpu.map(([program]) => program)))];
  const used = (program: string) =>
    median(rounds.map(({ cpu }) => cpu.find(([name]) => name === program)?.[1] ?? 0));
  return programs
    .map((program): [string, number] => [program, used(program)])
    .sort((a, b) => b[1] - a[1]);
}
