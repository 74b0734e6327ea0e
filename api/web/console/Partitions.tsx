import { useState } from 'react';
import { Heading } from '../shared/Heading';
import { texts } from '../shared/texts';
import { Chart } from './Chart';
import { useWatched, type Sample } from './samples';
import { Table } from './Table';

type Partition = Sample['partitions'][number];

const secondsOf = ({ at }: Sample): number => Date.parse(at) / 1000;
const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0);

/** Null when none of them is known. */
function known(
  sample: Sample,
  of: (partition: Partition) => number | null,
  together: (numbers: readonly number[]) => number,
): number | null {
  const numbers = sample.partitions.map(of).filter((number) => number !== null);
  return numbers.length > 0 ? together(numbers) : null;
}

const isBusy = ({ depth, perSecond }: Partition): boolean => (depth ?? 0) > 0 || perSecond > 0;

function Charts({ samples }: { readonly samples: readonly Sample[] }) {
  const instants = samples.map(secondsOf);
  const ages = samples.map((sample) =>
    known(
      sample,
      ({ oldestAgeMs }) => oldestAgeMs,
      (all) => Math.max(...all),
    ),
  );
  const of = texts.console.partitions;
  return (
    <div className="charts">
      <Chart
        name={of.perSecond}
        instants={instants}
        lines={[
          {
            label: of.ended,
            values: samples.map((sample) =>
              sum(sample.partitions.map(({ perSecond }) => perSecond)),
            ),
          },
        ]}
      />
      <Chart
        name={of.depth}
        instants={instants}
        lines={[
          {
            label: of.waiting,
            values: samples.map((sample) => known(sample, ({ depth }) => depth, sum)),
          },
        ]}
      />
      <Chart
        name={of.oldest}
        instants={instants}
        lines={[{ label: of.seconds, values: ages.map((age) => (age === null ? 0 : age / 1000)) }]}
      />
    </div>
  );
}

/** What waits, for how long, and who carries it out. */
export function Partitions() {
  const { samples } = useWatched();
  const [busyOnly, setBusyOnly] = useState(false);
  const last = samples.at(-1);
  const of = texts.console.partitions;
  const shown = last?.partitions.filter((partition) => !busyOnly || isBusy(partition)) ?? [];
  return (
    <>
      <Heading>{of.heading}</Heading>
      <Charts samples={samples} />
      <label>
        <input
          type="checkbox"
          checked={busyOnly}
          onChange={(event) => {
            setBusyOnly(event.currentTarget.checked);
          }}
        />
        {of.busyOnly}
      </label>
      <Table
        name={of.heading}
        columns={[of.partition, of.depth, of.oldest, of.perSecond, of.owner, of.epoch]}
        rows={shown.map(({ partition, depth, oldestAgeMs, owner, epoch, perSecond }) => ({
          key: partition,
          cells: [
            partition,
            texts.console.count(depth),
            texts.console.age(oldestAgeMs),
            texts.console.rate(perSecond),
            owner ?? of.nobody,
            texts.console.count(epoch),
          ],
        }))}
        none={of.none}
      />
    </>
  );
}
