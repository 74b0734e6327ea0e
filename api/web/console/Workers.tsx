import { Heading } from '../shared/Heading';
import { texts } from '../shared/texts';
import { useWatched } from './samples';
import { Table } from './Table';

/** Who carries commands out, and what they hold. */
export function Workers() {
  const { samples } = useWatched();
  const of = texts.console.workers;
  const workers = samples.at(-1)?.workers ?? [];
  return (
    <>
      <Heading>{of.heading}</Heading>
      <Table
        name={of.heading}
        columns={[of.worker, of.heartbeat, of.count, of.partitions]}
        rows={workers.map(({ worker, heartbeatAgeMs, partitions }) => ({
          key: worker,
          cells: [
            worker,
            of.beat(heartbeatAgeMs),
            texts.console.count(partitions.length),
            partitions.length > 0 ? <Held key="held" partitions={partitions} /> : of.nothing,
          ],
        }))}
        none={of.none}
      />
    </>
  );
}

function Held({ partitions }: { readonly partitions: readonly string[] }) {
  return (
    <details>
      <summary>{texts.console.workers.show}</summary>
      {partitions.join(', ')}
    </details>
  );
}
