import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { fieldsOf } from '../shared/form';
import { Heading } from '../shared/Heading';
import { Pages } from '../shared/Pages';
import { Shown } from '../shared/Shown';
import { findPeople, type Person } from './calls';
import { Listing } from '../shared/Listing';
import { deskTexts } from './texts';

const of = deskTexts.people;

export function Status({ person: { status } }: { readonly person: Person }) {
  return (
    <span className={status === 'blocked' ? 'badge bad' : 'badge good'}>{of.statuses[status]}</span>
  );
}

export const roleOf = ({ role, isAdmin }: Person): string =>
  isAdmin ? `${of.roles[role]}, ${of.admin}` : of.roles[role];

/** Shows the people of the service, found by the beginning of their names. */
export function People() {
  const [words, setWords] = useState('');
  const [page, setPage] = useState(1);
  const query = useQuery({
    queryKey: ['desk', 'people', words, page],
    queryFn: () => findPeople(words, page),
    placeholderData: (before) => before,
  });
  return (
    <>
      <Heading>{of.heading}</Heading>
      <search>
        <form
          className="scan"
          onSubmit={(event) => {
            event.preventDefault();
            setWords(fieldsOf(event.currentTarget)('q').trim());
            setPage(1);
          }}
        >
          <label>
            {of.search}
            <input name="q" type="search" maxLength={255} autoCapitalize="none" />
          </label>
          <button>{deskTexts.find}</button>
        </form>
      </search>
      <Shown query={query}>
        {(list) => (
          <>
            <Listing
              name={of.heading}
              columns={[of.user, of.role, of.status, of.since]}
              rows={list.items}
              keyOf={({ userId }) => userId}
              cells={(person) => [
                <Link
                  key="name"
                  href={`/people/${person.userId}/${encodeURIComponent(person.username)}`}
                >
                  {person.username}
                </Link>,
                roleOf(person),
                <Status key="status" person={person} />,
                deskTexts.day(person.createdAt),
              ]}
              none={deskTexts.none}
            />
            <Pages list={list} go={setPage} />
          </>
        )}
      </Shown>
    </>
  );
}
