import { Heading } from '../shared/Heading';
import { isBusy } from './alerts';
import { Heat } from './Heat';
import { PartitionTable } from './PartitionTable';
import { usePlaceState } from './place-state';
import { Resize } from './Resize';
import { useWatched } from './samples';
import { consoleTexts } from './texts';
import { Unwatched } from './Unwatched';

/** Shows what waits, for how long, and which worker carries it out. */
export function Partitions() {
  const { last } = useWatched();
  const { value, change } = usePlaceState();
  const busyOnly = value('busy') !== '';
  const of = consoleTexts.partitions;
  const partitions = last?.partitions ?? [];
  return (
    <>
      <Heading>{of.heading}</Heading>
      <Unwatched />
      {last && <Heat partitions={partitions} />}
      {last?.layout && <Resize layout={last.layout} />}
      <label>
        <input
          type="checkbox"
          checked={busyOnly}
          onChange={(event) => {
            change({ busy: event.currentTarget.checked ? '1' : '', page: '' });
          }}
        />
        {of.busyOnly}
      </label>
      {last && (
        <PartitionTable partitions={busyOnly ? partitions.filter(isBusy) : partitions} isSteered />
      )}
    </>
  );
}
