import { useInfiniteQuery } from '@tanstack/react-query';
import { answered, client } from '../shared/client';
import { ProblemNotice } from '../shared/ProblemNotice';
import { texts } from '../shared/texts';
import { Command } from './Command';

export interface CommandQuery {
  readonly id?: string;
  readonly userId?: number;
  readonly aggregate?: string;
}

export const COMMANDS_KEY = ['console', 'commands'];

const load = (query: CommandQuery, before: string | null) =>
  answered(
    client.GET('/api/console/commands', {
      params: { query: { ...query, ...(before !== null && { before }) } },
    }),
  );

/** The commands that were searched for, the newest first. */
export function FoundCommands({ query }: { readonly query: CommandQuery }) {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery({
      queryKey: [...COMMANDS_KEY, query],
      queryFn: ({ pageParam }) => load(query, pageParam),
      initialPageParam: null as string | null,
      getNextPageParam: ({ next }) => next,
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
        <button
          type="button"
          className="secondary"
          aria-busy={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {texts.console.older}
        </button>
      )}
    </section>
  );
}
