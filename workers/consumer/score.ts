import { createHash } from 'node:crypto';

/** Highest score: fits the broker's consumer priority. */
const SCORE_MAX = 1_000_000;

/**
 * Rendezvous hashing: how much a worker is the right one for a partition. Every worker computes the same ranking, and
 * when one comes or goes only its own partitions move.
 */
export function score(worker: string, partition: string): number {
  return createHash('sha1').update(`${worker} ${partition}`).digest().readUInt32BE(0) % SCORE_MAX;
}

/** The workers from the most to the least right for a partition. */
export function ranking(workers: readonly string[], partition: string): string[] {
  return [...workers].sort((a, b) => score(b, partition) - score(a, partition) || (a < b ? -1 : 1));
}
