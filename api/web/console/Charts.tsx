import type { Point } from './calls';
import { Chart } from './Chart';
import { useWatched } from './samples';
import { consoleTexts } from './texts';

const secondsOf = ({ at }: Point): number => Date.parse(at) / 1000;

/** Returns the age of the oldest command. Nothing waits where a depth is known and no age is. */
const ageOf = ({ oldestAgeMs, depth }: Point): number | null =>
  oldestAgeMs === null ? (depth === 0 ? 0 : null) : oldestAgeMs / 1000;

/** Shows the last minutes. Unknown values are gaps. */
export function Charts() {
  const { points } = useWatched();
  const instants = points.map(secondsOf);
  const of = consoleTexts.partitions;
  const charts = [
    { name: of.perSecond, label: of.ended, valueOf: (point: Point) => point.perSecond },
    { name: of.depth, label: of.waiting, valueOf: (point: Point) => point.depth },
    { name: of.oldest, label: of.seconds, valueOf: ageOf },
  ];
  return (
    <div className="charts">
      {charts.map(({ name, label, valueOf }) => (
        <Chart
          key={name}
          name={name}
          instants={instants}
          lines={[{ label, values: points.map(valueOf) }]}
        />
      ))}
    </div>
  );
}
