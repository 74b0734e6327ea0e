import { Link } from 'wouter';
import { isUnowned } from './alerts';
import type { Partition } from './samples';
import { Table, type Column } from './Table';
import { consoleTexts } from './texts';

const of = consoleTexts.partitions;

export const placeOfWorker = (worker: string): string => `/workers/${encodeURIComponent(worker)}`;

const COLUMNS: readonly Column<Partition>[] = [
  { key: 'partition', label: of.partition, value: ({ partition }) => partition },
  {
    key: 'depth',
    label: of.depth,
    value: ({ depth }) => depth,
    cell: ({ depth }) => consoleTexts.count(depth),
  },
  {
    key: 'oldest',
    label: of.oldest,
    value: ({ oldestAgeMs }) => oldestAgeMs,
    cell: ({ oldestAgeMs }) => consoleTexts.age(oldestAgeMs),
  },
  {
    key: 'rate',
    label: of.perSecond,
    value: ({ perSecond }) => perSecond,
    cell: ({ perSecond }) =>
      perSecond === null ? consoleTexts.unknown : consoleTexts.rate(perSecond),
  },
  {
    key: 'owner',
    label: of.owner,
    value: ({ owner }) => owner ?? '',
    cell: (partition) =>
      partition.owner === null ? (
        <span className={isUnowned(partition) ? 'badge bad' : 'muted'}>{of.nobody}</span>
      ) : (
        <Link href={placeOfWorker(partition.owner)}>{partition.owner}</Link>
      ),
  },
  { key: 'epoch', label: of.epoch, value: ({ epoch }) => epoch },
];

export function PartitionTable({
  name = of.heading,
  partitions,
  isSteered = false,
  none = of.none,
}: {
  readonly name?: string;
  readonly partitions: readonly Partition[];
  readonly isSteered?: boolean;
  readonly none?: string;
}) {
  return (
    <Table name={name} columns={COLUMNS} rows={partitions} none={none} isSteered={isSteered} />
  );
}
