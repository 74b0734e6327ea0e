import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { commandQuery } from './command';
import { dismissPromised, usePromised } from './promised';
import { problemOf, saidProblem } from './problem';
import { ProblemNotice } from './ProblemNotice';
import { useSending } from './sending';
import { texts } from './texts';

/** How long a write may take before it is listed, milliseconds. An answer comes within 2 s. */
const SLOW_MS = 2500;

function PendingCommand({ commandId }: { readonly commandId: string }) {
  const { data, error } = useQuery(commandQuery(commandId, useQueryClient()));
  const state = data?.status ?? 'queued';
  const hasEnded = state !== 'queued' || problemOf(error)?.status === 404;
  return (
    <li className={state}>
      <span aria-busy={!hasEnded}>
        {data ? texts.pending.command(data.type) : texts.pending.unknown}:{' '}
        {texts.pending.states[state]}
      </span>
      {data?.problem && <p>{saidProblem(data.problem)}</p>}
      {hasEnded && <ProblemNotice error={error} />}
      {hasEnded && (
        <button
          type="button"
          className="small"
          onClick={() => {
            dismissPromised(commandId);
          }}
        >
          {texts.pending.dismiss}
        </button>
      )}
    </li>
  );
}

/** Lists a write whose answer takes long, instead of a spinner without end. */
function SlowWrite({ since }: { readonly since: number }) {
  const [isSlow, setIsSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(
      () => {
        setIsSlow(true);
      },
      Math.max(since + SLOW_MS - Date.now(), 0),
    );
    return () => {
      clearTimeout(timer);
    };
  }, [since]);
  return (
    isSlow && (
      <li>
        <span aria-busy="true">{texts.sending}</span>
      </li>
    )
  );
}

/** Lists pending commands and their results, even after a reload. */
export function Pending() {
  const ids = usePromised();
  const sending = useSending();
  return (
    <section role="status" aria-label={texts.pending.heading} className="pending">
      {ids.length + sending.length > 0 && (
        <ul>
          {sending.map(({ id, since }) => (
            <SlowWrite key={id} since={since} />
          ))}
          {ids.map((id) => (
            <PendingCommand key={id} commandId={id} />
          ))}
        </ul>
      )}
    </section>
  );
}
