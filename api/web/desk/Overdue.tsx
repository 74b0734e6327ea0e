import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { Heading } from '../shared/Heading';
import { Pages } from '../shared/Pages';
import { Shown } from '../shared/Shown';
import { overdueLoans } from './calls';
import { Listing } from '../shared/Listing';
import { deskTexts } from './texts';

const of = deskTexts.overdue;

/** Shows loans that are overdue. */
export function Overdue() {
  const [page, setPage] = useState(1);
  const query = useQuery({
    queryKey: ['desk', 'overdue', page],
    queryFn: () => overdueLoans(page),
  });
  return (
    <>
      <Heading>{of.heading}</Heading>
      <Shown query={query}>
        {(list) => (
          <>
            <Listing
              name={of.heading}
              columns={[of.title, of.reader, of.due]}
              rows={list.items}
              keyOf={({ borrowId }) => borrowId}
              cells={({ title, username, userId, dueAt }) => [
                title,
                username === null || userId === null ? (
                  deskTexts.audit.nobody
                ) : (
                  <Link key="who" href={`/people/${userId}/${encodeURIComponent(username)}`}>
                    {username}
                  </Link>
                ),
                deskTexts.day(dueAt),
              ]}
              none={of.none}
            />
            <Pages list={list} go={setPage} />
          </>
        )}
      </Shown>
    </>
  );
}
