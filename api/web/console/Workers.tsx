import { Link } from 'wouter';
import { Heading } from '../shared/Heading';
import { Drain, WorkerState } from './Drain';
import { PartitionTable, placeOfWorker } from './PartitionTable';
import { useWatched, type Sample } from './samples';
import { Table, type Column } from './Table';
import { Unwatched } from './Unwatched';
import { consoleTexts } from './texts';

type Worker = Sample['workers'][number];

const of = consoleTexts.workers;

const COLUMNS: readonly Column<Worker>[] = [
  {
    key: 'worker',
    label: of.worker,
    value: ({ worker }) => worker,
    cell: ({ worker }) => <Link href={placeOfWorker(worker)}>{worker}</Link>,
  },
  {
    key: 'heartbeat',
    label: of.heartbeat,
    value: ({ heartbeatAgeMs }) => heartbeatAgeMs,
    cell: ({ heartbeatAgeMs }) => of.beat(heartbeatAgeMs),
  },
  {
    key: 'state',
    label: of.state,
    value: ({ state }) => state,
    cell: WorkerState,
  },
  { key: 'partitions', label: of.count, value: ({ partitions }) => partitions.length },
];

/** Shows the workers that carry commands out. */
export function Workers() {
  const { last } = useWatched();
  return (
    <>
      <Heading>{of.heading}</Heading>
      <Unwatched />
      {last && (
        <Table name={of.heading} columns={COLUMNS} rows={last.workers} none={of.none} isSteered />
      )}
    </>
  );
}

/** Shows one worker with its partitions. */
export function Worker({ worker }: { readonly worker: string }) {
  const { last } = useWatched();
  const found = last?.workers.find((one) => one.worker === worker);
  const held = last?.partitions.filter(({ owner }) => owner === worker) ?? [];
  const rate = held.reduce((total, { perSecond }) => total + (perSecond ?? 0), 0);
  return (
    <>
      <Heading>{worker}</Heading>
      <Unwatched />
      <p>
        <Link href="/workers">{consoleTexts.workers.all}</Link>
      </p>
      {last && !found && <p role="status">{consoleTexts.workers.gone}</p>}
      {found && (
        <>
          {last?.layout && <Drain worker={found} partitions={held.length} />}
          <dl>
            <dt>{of.heartbeat}</dt>
            <dd>{of.beat(found.heartbeatAgeMs)}</dd>
            <dt>{of.state}</dt>
            <dd>
              <WorkerState state={found.state} />
            </dd>
            <dt>{of.count}</dt>
            <dd>{held.length}</dd>
            <dt>{consoleTexts.workers.rate}</dt>
            <dd>{consoleTexts.rate(rate)}</dd>
          </dl>
          <PartitionTable name={of.partitions} partitions={held} none={of.nothing} />
        </>
      )}
    </>
  );
}
