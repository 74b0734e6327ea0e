import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Confirmed } from '../shared/Confirmed';
import type { Schemas } from '../shared/client';
import { Empty } from '../shared/Empty';
import { Field } from '../shared/Field';
import { Heading } from '../shared/Heading';
import { Shown } from '../shared/Shown';
import { LONG_WAIT_S, newIntent, useWrite } from '../shared/write';
import { WriteButton } from '../shared/WriteButton';
import { WriteForm } from '../shared/WriteForm';
import { WriteProblem } from '../shared/WriteProblem';
import { addWebhook, listDeliveries, listWebhooks, removeWebhook, testWebhook } from './calls';
import { Listing } from '../shared/Listing';
import { deskTexts } from './texts';

type Hook = Schemas['Webhook'];

const of = deskTexts.webhooks;

function AddWebhook() {
  const add = useWrite(addWebhook, { waitS: LONG_WAIT_S });
  return (
    <WriteForm
      write={add}
      read={(field) => ({
        url: field('url'),
        types: field('types')
          .split(',')
          .map((type) => type.trim())
          .filter((type) => type !== ''),
      })}
      label={of.add}
      button={of.add}
      done={({ secret }) => (
        <>
          {of.secret} <code>{secret}</code>
        </>
      )}
    >
      <Field label={of.url} name="url" type="url" required error={add.error} />
      <Field
        label={of.types}
        name="types"
        required
        placeholder={of.typesExample}
        autoCapitalize="none"
        error={add.error}
      />
    </WriteForm>
  );
}

function Deliveries({ webhookId }: { readonly webhookId: number }) {
  const [isOpen, setIsOpen] = useState(false);
  const query = useQuery({
    queryKey: ['desk', 'deliveries', webhookId],
    queryFn: () => listDeliveries(webhookId),
    enabled: isOpen,
  });
  return (
    <details
      onToggle={(event) => {
        setIsOpen(event.currentTarget.open);
      }}
    >
      <summary>{of.deliveries}</summary>
      {isOpen && (
        <Shown query={query}>
          {({ items }) => (
            <Listing
              name={of.deliveries}
              columns={[deskTexts.audit.when, of.event, of.status, of.attempts, of.answer]}
              rows={items}
              keyOf={({ deliveryId }) => deliveryId}
              cells={({ createdAt, type, status, attempts, answerStatus, error }) => [
                deskTexts.time(createdAt),
                type,
                of.deliveryStatuses[status],
                attempts,
                answerStatus ?? error,
              ]}
              none={of.noDeliveries}
            />
          )}
        </Shown>
      )}
    </details>
  );
}

function Webhook({ hook: { webhookId, url, types, status } }: { readonly hook: Hook }) {
  const test = useWrite(testWebhook);
  const remove = useWrite(removeWebhook);
  return (
    <li>
      <article className="card" aria-label={url}>
        <h2>{url}</h2>
        <p>
          {types.join(', ')}{' '}
          <span className={status === 'active' ? 'badge good' : 'badge bad'}>
            {of.statuses[status]}
          </span>
        </p>
        <div className="actions">
          <WriteButton write={test} input={webhookId} label={of.test} isSecondary />
          <Confirmed
            label={of.remove}
            question={of.removeQuestion(url)}
            explained={of.removeExplained}
            confirm={of.remove}
            isBusy={remove.isPending}
            act={() => {
              remove.mutate(newIntent(webhookId));
            }}
          />
        </div>
        <p role="status">{test.data && of.tested}</p>
        <WriteProblem write={test} />
        <WriteProblem write={remove} />
        <Deliveries webhookId={webhookId} />
      </article>
    </li>
  );
}

/** Shows the webhooks, which send events to other programs. */
export function Webhooks() {
  const query = useQuery({ queryKey: ['desk', 'webhooks'], queryFn: listWebhooks });
  return (
    <>
      <Heading>{of.heading}</Heading>
      <Shown query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={of.none} />
          ) : (
            <ul className="hooks">
              {items.map((hook) => (
                <Webhook key={hook.webhookId} hook={hook} />
              ))}
            </ul>
          )
        }
      </Shown>
      <h2>{of.add}</h2>
      <AddWebhook />
    </>
  );
}
