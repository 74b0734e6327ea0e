import { useState } from 'react';
import { Confirmed } from '../shared/Confirmed';
import { Field } from '../shared/Field';
import { newIntent, useWrite } from '../shared/write';
import { WriteProblem } from '../shared/WriteProblem';
import { resizePartitions } from './calls';
import type { Sample } from './samples';
import { consoleTexts } from './texts';

const of = consoleTexts.resize;
const PARTITIONS_MAX = 256;

/** Shows how many partitions there are, and changes it after it has asked. */
export function Resize({
  layout: { partitions, changesTo },
}: {
  readonly layout: NonNullable<Sample['layout']>;
}) {
  const resize = useWrite(resizePartitions, {
    onDone: () => {
      setTyped('');
    },
  });
  const [typed, setTyped] = useState('');
  const to = Number(typed);
  const isPossible = Number.isInteger(to) && to >= 1 && to <= PARTITIONS_MAX && to !== partitions;
  return (
    <section aria-label={of.heading}>
      <p role="status">
        {changesTo === null ? of.now(partitions) : of.underWay(partitions, changesTo)}
      </p>
      {changesTo === null && (
        <details className="resize">
          <summary>{of.resize}</summary>
          <Field
            label={of.label}
            name="partitions"
            type="number"
            min={1}
            max={PARTITIONS_MAX}
            placeholder={String(partitions)}
            value={typed}
            keep={setTyped}
            error={resize.error}
          />
          <Confirmed
            label={of.resize}
            question={of.question(partitions, to)}
            explained={of.explained(to)}
            confirm={of.resize}
            isBusy={!isPossible || resize.isPending}
            act={() => {
              resize.mutate(newIntent(to));
            }}
          />
        </details>
      )}
      <WriteProblem write={resize} />
    </section>
  );
}
