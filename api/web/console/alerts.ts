import type { Partition, Sample } from './samples';
import { consoleTexts } from './texts';

/** What an operator should look at now, the worst first. */

/** A command that has waited for longer is old, milliseconds. */
const OLD_MS = 10_000;
/** A worker without a heartbeat for longer is silent, milliseconds. */
const SILENT_MS = 5000;
/** Most alerts of one kind. */
const OF_A_KIND_MAX = 3;

export interface Alert {
  readonly text: string;
  /** Where the page has more about it. */
  readonly place: string;
}

export const isBusy = ({ depth, perSecond }: Partition): boolean =>
  (depth ?? 0) > 0 || (perSecond ?? 0) > 0;
export const isOld = ({ oldestAgeMs }: Partition): boolean => (oldestAgeMs ?? 0) > OLD_MS;
/**
 * Returns whether a partition lacks a worker. One without commands needs none: the next command
 * finds one.
 */
export const isUnowned = ({ owner, depth }: Partition): boolean =>
  owner === null && (depth ?? 0) > 0;

/** Returns how notable a partition is. */
const weight = (partition: Partition): number =>
  (isUnowned(partition) ? 4e12 : 0) +
  (isOld(partition) ? 2e12 : 0) +
  (partition.depth ?? 0) * 1e6 +
  (partition.perSecond ?? 0);

/** Returns notable partitions, the most notable first. */
export const notable = (partitions: readonly Partition[], count: number): readonly Partition[] =>
  partitions
    .filter((one) => isBusy(one) || isOld(one) || isUnowned(one))
    .sort((a, b) => weight(b) - weight(a) || (a.partition < b.partition ? -1 : 1))
    .slice(0, count);

const seconds = (ms: number): number => Math.round(ms / 1000);

export function alertsOf({ databaseAway, partitions, workers, deadLetters }: Sample): Alert[] {
  const { alerts: of } = consoleTexts;
  const unowned = partitions.filter(isUnowned).length;
  const old = partitions
    .filter(isOld)
    .sort((a, b) => (b.oldestAgeMs ?? 0) - (a.oldestAgeMs ?? 0))
    .slice(0, OF_A_KIND_MAX);
  const silent = workers
    .filter(({ heartbeatAgeMs }) => heartbeatAgeMs > SILENT_MS)
    .slice(0, OF_A_KIND_MAX);
  return [
    ...(databaseAway ? [{ text: of.database, place: '/workers' }] : []),
    ...(workers.length === 0 ? [{ text: of.noWorkers, place: '/workers' }] : []),
    ...(unowned > 0 ? [{ text: of.unowned(unowned), place: '/partitions/sort=owner' }] : []),
    ...old.map(({ partition, oldestAgeMs }) => ({
      text: of.old(partition, seconds(oldestAgeMs ?? 0)),
      place: '/partitions/sort=-oldest',
    })),
    ...silent.map(({ worker, heartbeatAgeMs }) => ({
      text: of.silent(worker, seconds(heartbeatAgeMs)),
      place: `/workers/${encodeURIComponent(worker)}`,
    })),
    ...(deadLetters > 0 ? [{ text: of.letters(deadLetters), place: '/dead-letters' }] : []),
  ];
}
