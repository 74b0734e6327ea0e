import type { PartitionSample, Totals } from './sample';

/** Null when it is known of no partition. */
function together(
  partitions: readonly PartitionSample[],
  of: (partition: PartitionSample) => number | null,
  join: (total: number, number: number) => number,
): number | null {
  const numbers = partitions.map(of).filter((number) => number !== null);
  return numbers.length > 0 ? numbers.reduce(join) : null;
}

const add = (total: number, number: number): number => total + number;

export const totalsOf = (partitions: readonly PartitionSample[]): Totals => ({
  perSecond: together(partitions, ({ perSecond }) => perSecond, add),
  depth: together(partitions, ({ depth }) => depth, add),
  oldestAgeMs: together(
    partitions,
    ({ oldestAgeMs }) => oldestAgeMs,
    (oldest, age) => Math.max(oldest, age),
  ),
});
