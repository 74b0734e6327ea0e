import { useInfiniteQuery } from '@tanstack/react-query';
import { answered, client, type Schemas } from '../shared/client';
import { ProblemNotice } from '../shared/ProblemNotice';
import { texts } from '../shared/texts';
import { Timeline } from './Timeline';

export interface CommandQuery {
  readonly id?: string;
  readonly userId?: number;
  readonly aggregate?: string;
}

type Track = Schemas['CommandTrack'];

/** How often what is found is asked for anew, milliseconds: a command that is on its way ends. */
const ANEW_MS = 5000;

const load = (query: CommandQuery, before: string | null) => answered(client.GET('/api/console/commands', { params: { query: { ...query, ...(before !== null && { before }) } } }));

/** A command in a line, and its way when it is opened. */
function Command({ track }: { readonly track: Track }) {
  const of = texts.console.commands;
  return (
    <li>
      <details>
        <summary>
          <span className={`state ${track.status}`}>{track.code ?? of.states[track.status]}</span> <strong>{track.type}</strong> {track.aggregate} <small>{texts.console.instant(track.receivedAt)}</small>
        </summary>
        <dl>
          <dt>{of.kinds.id}</dt>
          <dd>
            <code>{track.commandId}</code>
          </dd>
          <dt>{of.user}</dt>
          <dd>{track.userId ?? of.nobody}</dd>
          <dt>{of.request}</dt>
          <dd>
            <code>{track.requestId ?? texts.console.unknown}</code>
          </dd>
          {track.detail !== null && (
            <>
              <dt>{of.refusal}</dt>
              <dd>{track.detail}</dd>
            </>
          )}
        </dl>
        <Timeline track={track} />
      </details>
    </li>
  );
}

/** The commands that were searched for, the newest first. */
export function FoundCommands({ query }: { readonly query: CommandQuery }) {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['console', 'commands', query],
    queryFn: ({ pageParam }) => load(query, pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    refetchInterval: ANEW_MS,
  });
  const of = texts.console.commands;
  const found = data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <section aria-label={of.results} aria-busy={isPending}>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {data && found.length === 0 && <p role="status">{of.none}</p>}
      <ul className="commands">
        {found.map((track) => (
          <Command key={track.commandId} track={track} />
        ))}
      </ul>
      {hasNextPage && (
        <button type="button" className="secondary" aria-busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {texts.console.older}
        </button>
      )}
    </section>
  );
}
