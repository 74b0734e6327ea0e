import { useEffect } from 'react';
import { texts } from '../../shared/texts';
import { WriteButton } from '../../shared/WriteButton';
import { WriteProblem } from '../../shared/WriteProblem';
import { useLending } from './lending';
import type { Possible } from './possible';

/**
 * What can be done, as buttons. They are told apart by their places, so that the focus stays where
 * it is when one action makes another possible. `of`: the title, where buttons of several are on
 * the page.
 */
export function Actions({
  actions,
  state,
  of,
}: {
  readonly actions: Possible['actions'];
  /** What the reader has. An earlier refusal is no longer of interest when that changes. */
  readonly state: string;
  readonly of?: string;
}) {
  const lending = useLending();
  const { isError, reset } = lending;
  useEffect(() => {
    if (isError) reset();
    // When it was refused, the state was as it is.
  }, [state]);
  return (
    <>
      <div className="actions">
        {actions.map(({ label, action }, index) => (
          <WriteButton
            key={index}
            write={lending}
            input={action}
            label={label}
            name={of === undefined ? label : texts.books.action(label, of)}
            isSecondary={index > 0 || of !== undefined || action.kind === 'cancelHold'}
            isSmall={of !== undefined}
          />
        ))}
      </div>
      <WriteProblem write={lending} />
    </>
  );
}
