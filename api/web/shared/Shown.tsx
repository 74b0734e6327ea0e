import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { isWorthRepeating } from './problem';
import { ProblemNotice } from './ProblemNotice';
import { Skeleton } from './Skeleton';
import { texts } from './texts';

/** Shows the state of a query: that it is loading, its error, or the latest data. */
export function Shown<Data>({
  query,
  children,
}: {
  readonly query: UseQueryResult<Data>;
  readonly children: (data: Data) => ReactNode;
}) {
  const { data, error, isPending, refetch } = query;
  return (
    <>
      <ProblemNotice
        error={error}
        unanswered={data === undefined ? texts.notRead : texts.notFresh}
        {...(isWorthRepeating(error) && { retry: () => void refetch() })}
      />
      {isPending && <Skeleton />}
      {data !== undefined && children(data)}
    </>
  );
}
