import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { ProblemNotice } from '../shared/ProblemNotice';
import { Shown } from '../shared/Shown';
import { discardLetter, replayLetter, showLetter, type Letter } from './calls';
import { Confirmed } from '../shared/Confirmed';
import { placeWith } from './place-state';
import { consoleTexts, plainly } from './texts';

type Act = (letter: number) => Promise<unknown>;

const of = consoleTexts.letters;

/** Returns the plain name of a letter's command. */
export const nameOf = ({ type, aggregate }: Letter): string => plainly(type, aggregate);

/** Shows the message itself, which is loaded when somebody wants to see it. */
function Content({ letter }: { readonly letter: Letter }) {
  const [isOpen, setIsOpen] = useState(false);
  const query = useQuery({
    queryKey: ['console', 'dead-letter', letter.letter],
    queryFn: () => showLetter(letter.letter),
    enabled: isOpen,
  });
  return (
    <details
      onToggle={(event) => {
        setIsOpen(event.currentTarget.open);
      }}
    >
      <summary>{of.content}</summary>
      {isOpen && (
        <Shown query={query}>
          {({ content }) => (
            <pre tabIndex={0} aria-label={of.content}>
              {content}
            </pre>
          )}
        </Shown>
      )}
    </details>
  );
}

function Facts({ letter }: { readonly letter: Letter }) {
  return (
    <>
      <header>
        <strong>{nameOf(letter)}</strong>{' '}
        <span className={letter.attempts > 1 ? 'badge bad' : 'badge'}>
          {of.tried(letter.attempts)}
        </span>{' '}
        <small>{of.summary(letter.letter, letter.ageSeconds, letter.parked)}</small>
      </header>
      <p className="reason">{letter.reason}</p>
    </>
  );
}

/** Shows one dead letter, with what can be done about it. */
export function DeadLetter({
  letter,
  isSelected,
  select,
}: {
  readonly letter: Letter;
  readonly isSelected: boolean;
  readonly select: (isSelected: boolean) => void;
}) {
  const queries = useQueryClient();
  const act = useMutation({
    mutationFn: (work: Act) => work(letter.letter),
    networkMode: 'always',
    onSettled: () => queries.invalidateQueries({ queryKey: ['console'] }),
  });
  const isBusy = act.isPending || letter.state === 'released';
  const name = nameOf(letter);
  const run = (work: Act) => {
    if (!isBusy) act.mutate(work);
  };
  return (
    <li>
      <article aria-label={of.name(letter.letter)} className="card">
        <input
          type="checkbox"
          aria-label={of.named(of.selectOne, name, letter.letter)}
          checked={isSelected}
          onChange={(event) => {
            select(event.currentTarget.checked);
          }}
        />
        <div>
          <Facts letter={letter} />
          <Content letter={letter} />
          <ProblemNotice error={act.error} />
          <p role="status">{letter.state === 'released' && of.released}</p>
          <div className="actions">
            <button
              type="button"
              aria-label={of.named(of.replay, name, letter.letter)}
              aria-busy={isBusy}
              aria-disabled={isBusy}
              onClick={() => {
                run(replayLetter);
              }}
            >
              {of.replay}
            </button>
            <Link href={placeWith('commands', { by: 'id', text: letter.commandId })}>
              {of.show}
            </Link>
            <Confirmed
              label={of.discard}
              name={of.named(of.discard, name, letter.letter)}
              question={of.discardOne(name)}
              explained={of.willDiscard([name])}
              confirm={of.discardReally}
              isBusy={isBusy}
              act={() => {
                run(discardLetter);
              }}
            />
          </div>
        </div>
      </article>
    </li>
  );
}
