import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldsOf } from '../../../shared/form';
import { Listing } from '../../../shared/Listing';
import { Pages } from '../../../shared/Pages';
import { Shown } from '../../../shared/Shown';
import { shownDay, texts } from '../../../shared/texts';
import { rosterQuery, waitlistQuery, type RosterStatus } from '../queries';

const of = texts.courses;

/** Those who take a course, the latest first. */
export function Roster({ courseId }: { readonly courseId: number }) {
  const [{ q, status, page }, find] = useState({ q: '', status: 'all' as RosterStatus, page: 1 });
  return (
    <section aria-label={of.roster}>
      <h2>{of.roster}</h2>
      <search>
        <form
          className="search"
          onSubmit={(event) => {
            event.preventDefault();
            const field = fieldsOf(event.currentTarget);
            find({ q: field('q').trim(), status: field('status') as RosterStatus, page: 1 });
          }}
        >
          <label className="words">
            {of.rosterSearch}
            <input type="search" name="q" maxLength={255} />
          </label>
          <label>
            {of.rosterStatus}
            <select name="status">
              {Object.entries(of.rosterStates).map(([state, label]) => (
                <option key={state} value={state}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          <button className="secondary">{of.search}</button>
        </form>
      </search>
      <Shown query={useQuery(rosterQuery(courseId, status, q, page))}>
        {(list) => (
          <>
            <Listing
              name={of.rosterTable}
              columns={of.rosterColumns}
              rows={list.items}
              keyOf={({ subscriptionId }) => subscriptionId}
              cells={({ username, status: state, progress, createdAt }) => [
                username,
                of.rosterStates[state],
                `${progress.percent} %`,
                shownDay(createdAt),
              ]}
              none={of.noRoster}
            />
            <Pages
              list={list}
              go={(to) => {
                find({ q, status, page: to });
              }}
            />
          </>
        )}
      </Shown>
    </section>
  );
}

/** Those who wait for a seat, the first first. */
export function Waitlist({ courseId }: { readonly courseId: number }) {
  const [page, go] = useState(1);
  return (
    <section aria-label={of.waitlist}>
      <h2>{of.waitlist}</h2>
      <Shown query={useQuery(waitlistQuery(courseId, page))}>
        {(list) => (
          <>
            <Listing
              name={of.waitlistTable}
              columns={of.waitlistColumns}
              rows={list.items}
              keyOf={({ userId }) => userId}
              cells={({ username, position, createdAt }) => [
                username,
                position,
                shownDay(createdAt),
              ]}
              none={of.noWaitlist}
            />
            <Pages list={list} go={go} />
          </>
        )}
      </Shown>
    </section>
  );
}
