import { useId, useRef } from 'react';
import { texts } from './texts';

/** Shows a button for an action that cannot be undone. It asks first. */
export function Confirm({
  label,
  question,
  isBusy = false,
  act,
}: {
  readonly label: string;
  readonly question: string;
  readonly isBusy?: boolean;
  readonly act: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  return (
    <>
      <button
        type="button"
        className="danger"
        aria-busy={isBusy}
        aria-disabled={isBusy}
        onClick={() => {
          if (!isBusy) dialog.current?.showModal();
        }}
      >
        {label}
      </button>
      <dialog ref={dialog} aria-labelledby={id}>
        <p id={id}>{question}</p>
        <div className="actions">
          <button type="button" className="secondary" onClick={() => dialog.current?.close()}>
            {texts.cancel}
          </button>
          <button
            type="button"
            className="danger"
            onClick={() => {
              dialog.current?.close();
              act();
            }}
          >
            {label}
          </button>
        </div>
      </dialog>
    </>
  );
}
