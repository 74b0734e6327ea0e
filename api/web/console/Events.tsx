import { useEffect, useState } from 'react';
import { fieldsOf } from '../shared/form';
import { Heading } from '../shared/Heading';
import { ProblemNotice } from '../shared/ProblemNotice';
import { listen } from '../shared/stream';
import { texts } from '../shared/texts';

/** Most events on the page; the oldest go. */
const SHOWN_MAX = 200;

/** What is shown of a CloudEvent. */
interface DomainEvent {
  readonly id: string;
  readonly type: string;
  readonly time: string;
  readonly subject: string;
  readonly data: unknown;
}

interface Heard {
  /** The newest first. */
  readonly events: readonly DomainEvent[];
  readonly error: unknown;
}

const silence: Heard = { events: [], error: null };

function useEvents(type: string): Heard {
  const [heard, setHeard] = useState(silence);
  useEffect(() => {
    setHeard(silence);
    return listen(`/api/events${type === '' ? '' : `?type=${encodeURIComponent(type)}`}`, {
      take: ({ data }) => {
        const event = JSON.parse(data) as DomainEvent;
        // After a crash of its sender the same event may come twice.
        setHeard(({ events }) =>
          events.some(({ id }) => id === event.id)
            ? { events, error: null }
            : { events: [event, ...events].slice(0, SHOWN_MAX), error: null },
        );
      },
      opened: () => {
        setHeard(({ events }) => ({ events, error: null }));
      },
      lost: (error) => {
        setHeard(({ events }) => ({ events, error }));
      },
    });
  }, [type]);
  return heard;
}

/** Domain events as they happen, from the moment on in which one looks. */
export function Events() {
  const [type, setType] = useState('');
  const { events, error } = useEvents(type);
  const of = texts.console.events;
  return (
    <>
      <Heading>{of.heading}</Heading>
      <search>
        <form
          className="command-search"
          onSubmit={(event) => {
            event.preventDefault();
            setType(fieldsOf(event.currentTarget)('type').trim());
          }}
        >
          <label>
            {of.type}
            <input name="type" type="search" placeholder={of.example} autoCapitalize="none" />
          </label>
          <button>{of.show}</button>
        </form>
      </search>
      <ProblemNotice error={error} />
      {events.length === 0 && <p role="status">{of.none}</p>}
      <ol className="events" aria-label={of.heading}>
        {events.map(({ id, type: name, time, subject, data }) => (
          <li key={id}>
            <details>
              <summary>
                <strong>{name}</strong> {subject} <small>{texts.console.instant(time)}</small>
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
