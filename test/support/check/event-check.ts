import { createConnection } from 'mysql2/promise';
import { askMysql } from '../servers/ask-mysql';
import type { EventQueue } from '../clients/event-queue';
import { bodyOf, type EventBody } from '../clients/event-tour';
import { eventsIn } from '../servers/outbox';
import { waitUntil } from '../wait';

/** Compares what a consumer of events got with what the outbox holds, and with itself. */

/** How long the relay may take for pending events, milliseconds. */
const RELAY_MS = 60_000;

/** Name of the worker that has the lease of a job. */
export async function ownerOf(mysqlUrl: string, job: string): Promise<string> {
  const [row] = await askMysql(
    mysqlUrl,
    `SELECT owner FROM lease WHERE name = '${job}' AND \`until\` > UTC_TIMESTAMP(3)`,
  );
  return (row?.owner as string | undefined) ?? '';
}

let added = 0;
/** Events in a row. */
const TOGETHER = 20;

/**
 * Returns the statement that puts events into the outbox at once, as very large batches would; and
 * the id and row of one of the last.
 */
function backlog(count: number): { sql: string; late: string; row: number } {
  added += 1;
  const id = (index: number) => `${String(added).padStart(40, 'e')}.${index}`;
  const line = (index: number) =>
    JSON.stringify({
      eventId: id(index),
      type: 'test.thing.changed',
      occurredAt: new Date(),
      aggregateId: `thing:${50 * added + (index % 50)}`,
      commandId: '',
      sequence: 1 + Math.floor(index / 50),
      data: { n: index },
    });
  const lines = Array.from({ length: count }, (_, index) => line(index));
  const rows = Array.from({ length: Math.ceil(count / TOGETHER) }, (_, index) =>
    lines.slice(index * TOGETHER, (index + 1) * TOGETHER).join('\\n'),
  );
  const sql = `INSERT INTO outbox (events, occurred_at) VALUES ${rows.map((row) => `('${row}', UTC_TIMESTAMP(3))`).join()}`;
  const late = Math.floor(0.9 * count);
  return { sql, late: id(late), row: Math.floor(late / TOGETHER) };
}

/** Gives the relay a backlog. */
export async function addEvents(mysqlUrl: string, count: number): Promise<void> {
  await askMysql(mysqlUrl, backlog(count).sql);
}

/**
 * Gives the relay a backlog in which one of the last rows is locked: it can be read and published,
 * and not be marked. Returns the id of an event in it, and the function that lets it go. All in one
 * packet, or the relay might be past it already.
 */
export async function addEventsWithLock(
  mysqlUrl: string,
  count: number,
): Promise<{ late: string; letGo: () => Promise<void> }> {
  const { sql, late, row } = backlog(count);
  const connection = await createConnection({ uri: mysqlUrl, multipleStatements: true });
  await connection.query(
    `${sql}; START TRANSACTION; SELECT seq FROM outbox WHERE seq = LAST_INSERT_ID() + ${row} FOR UPDATE`,
  );
  return { late, letGo: () => connection.end() };
}

/**
 * Waits until all events are relayed and have arrived, and returns what is wrong with them; empty
 * when all is well.
 */
export async function eventFaults(mysqlUrl: string, queue: EventQueue): Promise<string[]> {
  await waitUntil(
    'nothing is pending',
    RELAY_MS,
    async () =>
      (await askMysql(mysqlUrl, 'SELECT 1 FROM outbox WHERE relayed_at IS NULL LIMIT 1')).length ===
      0,
  );
  const stored = eventsIn(await askMysql(mysqlUrl, 'SELECT events FROM outbox ORDER BY seq'));
  await waitUntil(
    'every event has arrived',
    RELAY_MS,
    () => queue.firsts().length >= stored.length,
  );
  const arrived = queue.firsts();
  const found: string[] = [];
  if (arrived.length !== stored.length)
    found.push(`${arrived.length} events arrived, ${stored.length} are stored`);
  const expected = grouped(stored, ({ aggregateId, eventId }) => [aggregateId, eventId]);
  for (const [aggregate, ids] of grouped(arrived, ({ aggregateId, eventId }) => [
    aggregateId,
    eventId,
  ])) {
    if (ids.join() !== expected.get(aggregate)?.join())
      found.push(`events of ${aggregate} are not those that are stored, or not in their order`);
  }
  for (const [aggregate, events] of grouped(arrived, ({ aggregateId, body }) => [
    aggregateId,
    bodyOf(body),
  ])) {
    if (events.some(({ sequence }, index) => sequence !== index + 1))
      found.push(`events of ${aggregate} are not numbered from 1, without a gap`);
    if (aggregate.startsWith('book-info:')) found.push(...chainFaults(events));
  }
  return found;
}

function grouped<Item, Value>(
  items: readonly Item[],
  of: (item: Item) => [string, Value],
): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const [key, value] of items.map(of)) groups.set(key, [...(groups.get(key) ?? []), value]);
  return groups;
}

/** Carries out the events of one title: each must fit what those before it have left. */
function chainFaults(events: readonly EventBody[]): string[] {
  const found: string[] = [];
  const title = { version: 0, total: 0, lent: new Map<unknown, unknown>() };
  const must = (holds: boolean, { eventId, type }: EventBody) => {
    if (!holds) found.push(`${type} ${eventId} does not fit what came before it`);
  };
  for (const event of events) {
    const { version, totalStock, availableStock, bookIds, bookId, borrowId } = event.data;
    const fits = () =>
      totalStock === title.total && availableStock === title.total - title.lent.size;
    switch (event.type) {
      case 'lending.book-info.created':
        must(title.version === 0 && version === 1, event);
        title.version = 1;
        break;
      case 'lending.book-info.updated':
        title.version += 1;
        must(version === title.version && fits(), event);
        break;
      case 'lending.copies.added':
        title.total += (bookIds as unknown[]).length;
        must(fits(), event);
        break;
      case 'lending.borrow.created':
        must(title.version > 0 && !title.lent.has(bookId), event);
        title.lent.set(bookId, borrowId);
        break;
      case 'lending.borrow.returned':
        must(title.lent.get(bookId) === borrowId, event);
        title.lent.delete(bookId);
        break;
      default:
        must(false, event);
    }
  }
  return found;
}
