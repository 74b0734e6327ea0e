import { useInfiniteQuery } from '@tanstack/react-query';
import { answered, client } from '../shared/client';
import { Heading } from '../shared/Heading';
import { ProblemNotice } from '../shared/ProblemNotice';
import { texts } from '../shared/texts';
import { DeadLetter } from './DeadLetter';

/**
 * How often the list is asked for anew, milliseconds: letters vanish from it while they are
 * replayed.
 */
const ANEW_MS = 2000;

const load = (after: number | null) =>
  answered(
    client.GET('/api/console/dead-letters', { params: { query: after === null ? {} : { after } } }),
  );

/** Commands that could not be carried out, and what an operator can do with them. */
export function DeadLetters() {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery({
      queryKey: ['console', 'dead-letters'],
      queryFn: ({ pageParam }) => load(pageParam),
      initialPageParam: null as number | null,
      getNextPageParam: ({ next }) => next,
      refetchInterval: ANEW_MS,
    });
  const of = texts.console.letters;
  const letters = data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      <Heading>{of.heading}</Heading>
      <p>{of.explained}</p>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <p aria-busy="true">{texts.loading}</p>}
      {data && letters.length === 0 && <p role="status">{of.none}</p>}
      <ul className="letters">
        {letters.map((letter) => (
          <DeadLetter key={letter.letter} letter={letter} />
        ))}
      </ul>
      {hasNextPage && (
        <button
          type="button"
          className="secondary"
          aria-busy={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {texts.console.more}
        </button>
      )}
    </>
  );
}
