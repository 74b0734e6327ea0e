import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Empty } from '../shared/Empty';
import { Heading } from '../shared/Heading';
import { ProblemNotice } from '../shared/ProblemNotice';
import { Skeleton } from '../shared/Skeleton';
import { BulkLetters } from './BulkLetters';
import { listLetters, type Letter } from './calls';
import { DeadLetter } from './DeadLetter';
import { Replays } from './Replays';
import { consoleTexts } from './texts';

/**
 * How often the list is read again, milliseconds. Letters vanish from it while they are replayed.
 */
const ANEW_MS = 2000;

const of = consoleTexts.letters;

function Letters({ letters }: { readonly letters: readonly Letter[] }) {
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const selected = letters.filter(({ letter }) => chosen.has(letter));
  return (
    <>
      <BulkLetters
        selected={selected}
        isAll={selected.length === letters.length}
        selectAll={(isSelected) => {
          setChosen(new Set(isSelected ? letters.map(({ letter }) => letter) : []));
        }}
      />
      <ul className="letters">
        {letters.map((letter) => (
          <DeadLetter
            key={letter.letter}
            letter={letter}
            isSelected={chosen.has(letter.letter)}
            select={(isSelected) => {
              const others = [...chosen].filter((one) => one !== letter.letter);
              setChosen(new Set(isSelected ? [...others, letter.letter] : others));
            }}
          />
        ))}
      </ul>
    </>
  );
}

/** Shows commands that could not be carried out, and what an operator can do with them. */
export function DeadLetters() {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery({
      queryKey: ['console', 'dead-letters'],
      queryFn: ({ pageParam }) => listLetters(pageParam),
      initialPageParam: null as number | null,
      getNextPageParam: ({ next }) => next,
      refetchInterval: ANEW_MS,
    });
  const letters = data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      <Heading>{of.heading}</Heading>
      <p>{of.explained}</p>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Skeleton />}
      {data && letters.length === 0 && <Empty text={of.none} />}
      {letters.length > 0 && <Letters letters={letters} />}
      {hasNextPage && (
        <button
          type="button"
          className="secondary"
          aria-busy={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {consoleTexts.more}
        </button>
      )}
      <Replays />
    </>
  );
}
