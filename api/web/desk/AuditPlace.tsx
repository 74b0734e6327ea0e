import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldsOf } from '../shared/form';
import { Heading } from '../shared/Heading';
import { Pages } from '../shared/Pages';
import { Shown } from '../shared/Shown';
import { listAudit, type AuditQuery } from './calls';
import { Listing } from '../shared/Listing';
import { deskTexts } from './texts';

const of = deskTexts.audit;

/** Shows who did what to whom, from which address. */
export function AuditPlace() {
  const [search, setSearch] = useState<AuditQuery>({ page: 1 });
  const query = useQuery({
    queryKey: ['desk', 'audit', search],
    queryFn: () => listAudit(search),
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
            const field = fieldsOf(event.currentTarget);
            const [action, target] = [field('action').trim(), field('target').trim()];
            setSearch({ page: 1, ...(action && { action }), ...(target && { target }) });
          }}
        >
          <label>
            {of.action}
            <input name="action" type="search" autoCapitalize="none" placeholder={of.example} />
          </label>
          <label>
            {of.target}
            <input name="target" type="search" autoCapitalize="none" maxLength={600} />
          </label>
          <button>{deskTexts.find}</button>
        </form>
      </search>
      <Shown query={query}>
        {(list) => (
          <>
            <Listing
              name={of.heading}
              columns={[of.when, of.who, of.action, of.target, of.from, of.details]}
              rows={list.items}
              keyOf={({ auditId }) => auditId}
              cells={({ at, actor, action, target, address, details }) => [
                deskTexts.time(at),
                actor?.username ?? of.nobody,
                action,
                target,
                address,
                <details key="details">
                  <summary>{of.details}</summary>
                  <pre>{JSON.stringify(details, null, 2)}</pre>
                </details>,
              ]}
              none={deskTexts.none}
            />
            <Pages
              list={list}
              go={(page) => {
                setSearch({ ...search, page });
              }}
            />
          </>
        )}
      </Shown>
    </>
  );
}
