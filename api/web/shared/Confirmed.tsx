import { useId, useRef } from 'react';
import { texts } from './texts';

export interface ConfirmedProps {
  readonly label: string;
  /** The label in full, where several buttons have the same. */
  readonly name?: string;
  readonly question: string;
  /** What will happen. */
  readonly explained: string;
  readonly confirm: string;
  readonly isBusy?: boolean;
  readonly isDangerous?: boolean;
  /** In a list, where the same stands in every line. */
  readonly isSmall?: boolean;
  readonly act: () => void;
}

/** Shows a button that explains what will happen, and asks, before it acts. */
export function Confirmed({
  label,
  name = label,
  question,
  explained,
  confirm,
  isBusy = false,
  isDangerous = true,
  isSmall = false,
  act,
}: ConfirmedProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [titleId, textId] = [useId(), useId()];
  return (
    <>
      <button
        type="button"
        className={`${isDangerous ? 'quiet danger' : 'secondary'} ${isSmall ? 'small' : ''}`}
        aria-label={name}
        aria-disabled={isBusy}
        onClick={() => {
          if (!isBusy) dialog.current?.showModal();
        }}
      >
        {label}
      </button>
      <dialog ref={dialog} aria-labelledby={titleId} aria-describedby={textId}>
        <h2 id={titleId}>{question}</h2>
        <p id={textId}>{explained}</p>
        <form method="dialog" className="actions">
          <button className="secondary">{texts.cancel}</button>
          <button className={isDangerous ? 'danger' : ''} onClick={act}>
            {confirm}
          </button>
        </form>
      </dialog>
    </>
  );
}
