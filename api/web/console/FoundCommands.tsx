import { useInfiniteQuery } from '@tanstack/react-query';
import { ProblemNotice } from '../shared/ProblemNotice';
import { findCommands, type CommandQuery } from './calls';
import { Command } from './Command';
import { consoleTexts } from './texts';

export const COMMANDS_KEY = ['console', 'commands'];

/** Shows the commands of a search, newest first. */
export function FoundCommands({ query }: { readonly query: CommandQuery }) {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery({
      queryKey: [...COMMANDS_KEY, query],
      queryFn: ({ pageParam }) => findCommands(query, pageParam),
      initialPageParam: null as string | null,
      getNextPageParam: ({ next }) => next,
    });
  const of = consoleTexts.commands;
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
          {consoleTexts.older}
        </button>
      )}
    </section>
  );
}
