import { createHash } from 'node:crypto';

/** Highest score: fits the broker's consumer priority. */
const SCORE_MAX = 1_000_000;

/**
 * Returns how well a worker fits a partition, by rendezvous hashing. Every worker computes the same
 * ranking. When a worker comes or goes, only its own partitions move.
 */
export function score(worker: string, partition: string): number {
  return createHash('sha1').update(`${worker} ${partition}`).digest().readUInt32BE(0) % SCORE_MAX;
}

/** Ranks the workers for a partition, the best first. */
export function ranking(workers: readonly string[], partition: string): string[] {
  const scored = workers.map((worker) => ({ worker, points: score(worker, partition) }));
  return scored
    .sort((a, b) => b.points - a.points || (a.worker < b.worker ? -1 : 1))
    .map(({ worker }) => worker);
}
