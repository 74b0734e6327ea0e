import { useEffect, useState } from 'react';
import { fieldsOf } from '../shared/form';
import { Heading } from '../shared/Heading';
import { ProblemNotice } from '../shared/ProblemNotice';
import { Skeleton } from '../shared/Skeleton';
import { listen } from '../shared/stream';
import { usePlaceState } from './place-state';
import { consoleTexts } from './texts';

/** Most events on the page, and most that wait while it is paused. The oldest are dropped. */
const SHOWN_MAX = 200;

/** The displayed part of a CloudEvent. */
interface DomainEvent {
  readonly id: string;
  readonly type: string;
  readonly time: string;
  readonly subject: string;
  readonly data: unknown;
}

interface Heard {
  /** Newest first. */
  readonly events: readonly DomainEvent[];
  readonly error: unknown;
  /** Whether the stream was open, so that no event since would be missed. */
  readonly isHeard: boolean;
}

const silence: Heard = { events: [], error: null, isHeard: false };

function useEvents(type: string): Heard {
  const [heard, setHeard] = useState(silence);
  useEffect(() => {
    setHeard(silence);
    return listen('/api/events', type === '' ? {} : { type }, {
      take: ({ data }) => {
        const event = JSON.parse(data) as DomainEvent;
        // After a crash of its sender the same event may come twice.
        setHeard(({ events }) => ({
          events: events.some(({ id }) => id === event.id)
            ? events
            : [event, ...events].slice(0, SHOWN_MAX),
          error: null,
          isHeard: true,
        }));
      },
      opened: () => {
        setHeard(({ events }) => ({ events, error: null, isHeard: true }));
      },
      lost: (error) => {
        setHeard((heard) => ({ ...heard, error }));
      },
    });
  }, [type]);
  return heard;
}

function Filter() {
  const { value, change } = usePlaceState();
  const of = consoleTexts.events;
  return (
    <search>
      <form
        className="command-search"
        onSubmit={(event) => {
          event.preventDefault();
          change({ type: fieldsOf(event.currentTarget)('type').trim() });
        }}
      >
        <label>
          {of.type}
          <input
            key={value('type')}
            name="type"
            type="search"
            defaultValue={value('type')}
            placeholder={of.example}
            autoCapitalize="none"
          />
        </label>
        <button>{of.show}</button>
      </form>
    </search>
  );
}

/** Returns how many kept events came since. */
const newerThan = (events: readonly DomainEvent[], seen: DomainEvent | undefined): number => {
  const index = events.findIndex(({ id }) => id === seen?.id);
  return index < 0 ? events.length : index;
};

/** Shows domain events as they happen, from the moment the place is opened. */
export function Events() {
  const { value } = usePlaceState();
  const { events, error, isHeard } = useEvents(value('type'));
  const [held, setHeld] = useState<readonly DomainEvent[] | null>(null);
  const of = consoleTexts.events;
  const shown = held ?? events;
  return (
    <>
      <Heading>{of.heading}</Heading>
      <Filter />
      <ProblemNotice error={error} />
      <p className="actions">
        <button
          type="button"
          className="secondary"
          aria-pressed={held !== null}
          onClick={() => {
            setHeld(held === null ? events : null);
          }}
        >
          {held === null ? of.pause : of.resume(newerThan(events, held[0]))}
        </button>
        <span role="status">{held !== null && of.paused}</span>
      </p>
      {shown.length === 0 && (isHeard ? <p role="status">{of.none}</p> : !error && <Skeleton />)}
      <ol className="events" aria-label={of.heading}>
        {shown.map(({ id, type: name, time, subject, data }) => (
          <li key={id}>
            <details>
              <summary>
                <strong>{name}</strong> {subject} <small>{consoleTexts.instant(time)}</small>
              </summary>
              <pre tabIndex={0} aria-label={id}>
                {JSON.stringify(data, null, 2)}
              </pre>
            </details>
          </li>
        ))}
      </ol>
    </>
  );
}
