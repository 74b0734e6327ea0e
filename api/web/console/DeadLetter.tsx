import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import { answered, client, type Schemas } from '../shared/client';
import { ProblemNotice } from '../shared/ProblemNotice';
import { Shown } from '../shared/Shown';
import { texts } from '../shared/texts';

type Letter = Schemas['DeadLetter'];

const params = ({ letter }: Letter) => ({ params: { path: { letterId: letter } } });
type Act = (letter: Letter) => Promise<unknown>;

const replay: Act = (letter) =>
  answered(client.POST('/api/console/dead-letters/{letterId}/replay', params(letter)));
const discard: Act = (letter) =>
  answered(client.DELETE('/api/console/dead-letters/{letterId}', params(letter)));

/** The message itself; it is asked for when somebody wants to see it. */
function Content({ letter }: { readonly letter: Letter }) {
  const [isOpen, setIsOpen] = useState(false);
  const query = useQuery({
    queryKey: ['console', 'dead-letter', letter.letter],
    queryFn: () => answered(client.GET('/api/console/dead-letters/{letterId}', params(letter))),
    enabled: isOpen,
  });
  return (
    <details
      onToggle={(event) => {
        setIsOpen(event.currentTarget.open);
      }}
    >
      <summary>{texts.console.letters.content}</summary>
      {isOpen && (
        <Shown query={query}>
          {({ content }) => (
            <pre tabIndex={0} aria-label={texts.console.letters.content}>
              {content}
            </pre>
          )}
        </Shown>
      )}
    </details>
  );
}

/** Asks before what cannot be taken back. */
function Discard({
  letter,
  start,
  isBusy,
}: {
  readonly letter: Letter;
  readonly start: () => void;
  readonly isBusy: boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const of = texts.console.letters;
  return (
    <>
      <button
        type="button"
        className="secondary"
        aria-label={of.named(of.discard, letter.letter)}
        aria-disabled={isBusy}
        onClick={() => dialog.current?.showModal()}
      >
        {of.discard}
      </button>
      <dialog ref={dialog} aria-labelledby={titleId}>
        <article>
          <h2 id={titleId}>{of.named(of.discard, letter.letter)}</h2>
          <p>{of.discardExplained}</p>
          <form method="dialog">
            <button className="secondary">{of.keep}</button>
            <button onClick={start}>{of.discardReally}</button>
          </form>
        </article>
      </dialog>
    </>
  );
}

/** One dead letter, with what can be done about it. */
export function DeadLetter({ letter }: { readonly letter: Letter }) {
  const queries = useQueryClient();
  const act = useMutation({
    mutationFn: (work: Act) => work(letter),
    networkMode: 'always',
    onSettled: () => queries.invalidateQueries({ queryKey: ['console'] }),
  });
  const of = texts.console.letters;
  const isBusy = act.isPending || letter.state === 'released';
  const run = (work: Act) => {
    if (!isBusy) act.mutate(work);
  };
  return (
    <li>
      <article aria-label={of.name(letter.letter)}>
        <header>
          <strong>{letter.aggregate ?? of.unreadable}</strong> {letter.type}{' '}
          <small>{of.summary(letter.letter, letter.ageSeconds, letter.parked)}</small>
        </header>
        <p className="reason">{letter.reason}</p>
        <Content letter={letter} />
        <ProblemNotice error={act.error} />
        <p role="status">{letter.state === 'released' && of.released}</p>
        <div className="actions">
          <button
            type="button"
            aria-label={of.named(of.replay, letter.letter)}
            aria-busy={isBusy}
            aria-disabled={isBusy}
            onClick={() => {
              run(replay);
            }}
          >
            {of.replay}
          </button>
          <Discard
            letter={letter}
            isBusy={isBusy}
            start={() => {
              run(discard);
            }}
          />
        </div>
      </article>
    </li>
  );
}
