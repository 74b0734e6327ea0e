import { endingOf } from '../../../shared/database/ending';
import type { Call } from '../clients/caller';
import { exportedServers } from '../servers/fresh';
import { callManagement } from '../servers/management';
import { countMessages } from '../servers/queue-counts';
import type { EventBody } from '../clients/event-tour';
import { RECORDED } from './histories/recorder';
import { eventsIn } from '../servers/outbox';
import { onDatabase, type Row, type Select } from '../servers/rows';
import { waitUntil } from '../wait';

/**
 * What must hold in the database and at the broker after a storm. Each finding begins with its
 * rule:
 *
 * - I1, I2, I3: a 2xx has one effect, a refusal none, and an unknown answer none or one
 * - I4: each title's versions, and each copy's borrows, are a chain without gap or fork
 * - I5: a sender's commands for one title take effect in the order in which they were sent
 * - I6: stock is never negative, and is the sum of its changes
 * - I7: nothing waits any more, and nothing is a dead letter
 * - I8: every API shows what the database has, also from caches (views.ts)
 * - I9: after a failover, only the new owner commits batches of the partition
 */

/** How long queues may take to run empty once nobody sends any more, milliseconds. */
const EMPTY_MS = 60_000;

type Environment = Readonly<Record<string, string>>;

const eventsInOrder = async (select: Select): Promise<EventBody[]> =>
  eventsIn(await select('SELECT events FROM outbox ORDER BY seq'));

/**
 * I1, I2, I3: what the clients were told of their commands, against the outcomes and events that
 * are stored.
 */
async function brokenPromises(
  select: Select,
  events: readonly EventBody[],
  calls: readonly Call[],
): Promise<string[]> {
  const outcomes = grouped<Row, unknown>(
    await select('SELECT command_id, request_id, type, ending FROM command_outcome'),
    (row) => row['request_id'],
  );
  const effects = grouped<EventBody, unknown>(events, ({ commandId }) => commandId);
  const found: string[] = [];
  for (const { requestId, request, answer } of calls) {
    const stored = outcomes.get(requestId) ?? [];
    outcomes.delete(requestId);
    const changes = stored.flatMap((row) => effects.get(row['command_id']) ?? []);
    const finding = (rule: string, what: string) =>
      found.push(`${rule}: ${request} was answered ${JSON.stringify(answer)}, and ${what}`);
    if (stored.length > 1) finding('I1', `has ${stored.length} outcomes`);
    if (new Set(changes.map(({ type }) => type)).size < changes.length)
      finding('I1', `had an effect twice: ${changes.map(({ type }) => type).join()}`);
    if (
      answer.status >= 200 &&
      answer.status < 300 &&
      (stored.length === 0 || changes.length === 0)
    )
      finding('I1', `has ${stored.length} outcomes and ${changes.length} effects`);
    if (answer.status >= 400 && changes.length > 0)
      finding('I2', `had an effect: ${changes.map(({ type }) => type).join()}`);
    const [row] = stored;
    if (row && !isWhatWasStored(answer, row))
      finding('I1', `the stored ending is ${String(row['ending'])}`);
  }
  const borrowing = (row: Row) =>
    row['type'] === 'lending.borrow-book' || row['type'] === 'lending.return-book';
  // Recorded histories are checked by themselves.
  const unrecorded = (row: Row) => !String(row['request_id']).startsWith(RECORDED);
  const strangers =
    calls.length === 0
      ? []
      : [...outcomes.values()].flat().filter((row) => borrowing(row) && unrecorded(row));
  return [
    ...found,
    ...strangers.map(
      (row) => `I2: no client sent ${String(row['type'])} ${String(row['command_id'])}`,
    ),
  ];
}

/** A promise (202) and an unknown fate (status 0) leave open how the command ended. */
function isWhatWasStored({ status, body }: Call['answer'], row: Row): boolean {
  const ending = endingOf(row['ending'] as string);
  if (status === 202 || status === 0) return true;
  if (status >= 400) return ending.status === 'failed' && ending.refusal.code === body['code'];
  return ending.status === 'succeeded' && JSON.stringify(body) === (ending.result ?? '{}');
}

/** I4: each copy is lent and comes back in turn, and each title has one version after the other. */
function brokenChains(events: readonly EventBody[]): string[] {
  const lentTo = new Map<unknown, unknown>();
  const versions = new Map<string, number>();
  const found: string[] = [];
  for (const { type, aggregateId, commandId, data } of events) {
    const { bookId, borrowId } = data;
    if (type === 'lending.borrow.created') {
      if (lentTo.has(bookId))
        found.push(
          `I4: copy ${String(bookId)} was lent as borrow ${String(borrowId)} by ${commandId} while it was lent as ${String(lentTo.get(bookId))}`,
        );
      lentTo.set(bookId, borrowId);
    }
    if (type === 'lending.borrow.returned') {
      if (lentTo.get(bookId) !== borrowId)
        found.push(
          `I4: borrow ${String(borrowId)} of copy ${String(bookId)} came back while the copy was lent as ${String(lentTo.get(bookId))}`,
        );
      lentTo.delete(bookId);
    }
    if (type === 'lending.book-info.created' || type === 'lending.book-info.updated') {
      const version = data['version'] as number;
      const due = (versions.get(aggregateId) ?? 0) + 1;
      if (version !== due)
        found.push(
          `I4: ${aggregateId} got version ${version} by ${commandId} where ${due} was due`,
        );
      versions.set(aggregateId, version);
    }
  }
  return found;
}

/** I4: the events of each aggregate are numbered 1, 2, 3 and so on. */
function brokenNumbers(events: readonly EventBody[]): string[] {
  const last = new Map<string, number>();
  const found: string[] = [];
  for (const { aggregateId, commandId, sequence } of events) {
    const due = (last.get(aggregateId) ?? 0) + 1;
    if (sequence !== due)
      found.push(`I4: ${aggregateId} told event ${sequence} by ${commandId} where ${due} was due`);
    last.set(aggregateId, sequence);
  }
  return found;
}

/** I5: the titles of one sender are named 1, 2, 3 and so on. */
function brokenOrder(events: readonly EventBody[]): string[] {
  const last = new Map<string, number>();
  const found: string[] = [];
  for (const { type, aggregateId, data } of events) {
    const [, digits] = /^Order (\d+)$/.exec(String(data['title'])) ?? [];
    if (type !== 'lending.book-info.updated' || digits === undefined) continue;
    const place = Number(digits);
    const before = last.get(aggregateId);
    if (before !== undefined && place <= before)
      found.push(`I5: ${aggregateId} went from ${before} to ${place}`);
    last.set(aggregateId, place);
  }
  return found;
}

/**
 * Returns what an event does to the available stock of its title; null where that is not told by
 * the event alone.
 */
function stockChange({ type, data }: EventBody): number | null {
  switch (type) {
    case 'lending.copies.added':
      return (data['bookIds'] as unknown[]).length;
    case 'lending.borrow.created':
      return -1;
    case 'lending.borrow.returned':
      return 1;
    default:
      return /^lending\.(hold|copies)\.|\.(lost|deleted)$/.test(type) ? null : 0;
  }
}

/**
 * I6, for the titles whose copies were added, lent and returned only; the operator's audit recounts
 * them all.
 */
async function brokenStock(select: Select, events: readonly EventBody[]): Promise<string[]> {
  const found: string[] = [];
  const stored = new Map(
    (await select('SELECT id, available_stock FROM book_info')).map((row) => [
      `book-info:${String(row['id'])}`,
      Number(row['available_stock']),
    ]),
  );
  for (const [title, changes] of grouped(events, ({ aggregateId }) => aggregateId)) {
    const steps = changes.map(stockChange);
    if (!title.startsWith('book-info:') || steps.includes(null)) continue;
    let balance = 0;
    for (const step of steps) {
      balance += step ?? 0;
      if (balance < 0) found.push(`I6: the stock of ${title} fell to ${balance}`);
    }
    if (balance !== stored.get(title))
      found.push(
        `I6: the changes of ${title} sum up to ${balance}, and ${String(stored.get(title))} is stored`,
      );
  }
  return found;
}

/**
 * I9: makes the database note, in the batch's own transaction, each batch on another connection
 * than that of the partition's present owner.
 */
export async function watchFence({ MYSQL_URL = '' }: Environment): Promise<void> {
  await onDatabase({ MYSQL_URL }, async (select) => {
    await select(
      'CREATE TABLE IF NOT EXISTS foreign_batch (id BIGINT AUTO_INCREMENT PRIMARY KEY, partition_name VARCHAR(64) NOT NULL, epoch BIGINT NOT NULL)',
    );
    await select(FOREIGN_BATCH_TRIGGER);
  });
}

/**
 * A taking over raises the epoch; a batch does not, and its connection holds the lock with its
 * worker's name (batch-connection.ts).
 */
const FOREIGN_BATCH_TRIGGER = `CREATE TRIGGER IF NOT EXISTS foreign_batch_noted AFTER UPDATE ON partition_owner FOR EACH ROW
  INSERT INTO foreign_batch (partition_name, epoch) SELECT NEW.partition_name, NEW.epoch FROM DUAL
  WHERE NEW.epoch = OLD.epoch AND NOT (IS_USED_LOCK(CONCAT('lendline.', NEW.owner)) <=> CONNECTION_ID())`;

/** Returns the first node of a cluster. */
const firstNode = (urls: string): URL => new URL(urls.split(',')[0] ?? '');

async function brokenFence(select: Select): Promise<string[]> {
  const foreign = await select('SELECT partition_name, epoch FROM foreign_batch');
  return foreign.map(
    (row) =>
      `I9: a batch for ${String(row['partition_name'])} was committed under epoch ${String(row['epoch'])} by somebody else than its owner`,
  );
}

/**
 * Returns the management API of a system's broker: the one that the test tells, or that of the run.
 */
function managementOf({ RABBITMQ_URL = '', RABBITMQ_MANAGEMENT_URL }: Environment): string {
  if (RABBITMQ_MANAGEMENT_URL) return RABBITMQ_MANAGEMENT_URL;
  const { rabbitmqUrl, rabbitmqManagementUrl } = exportedServers();
  if (new URL(rabbitmqUrl).host === firstNode(RABBITMQ_URL).host) return rabbitmqManagementUrl;
  throw new Error(
    'a system with a broker of its own needs RABBITMQ_MANAGEMENT_URL in its environment',
  );
}

/** Returns what waits at the broker or is held by a consumer, and what was dead-lettered there. */
async function fullQueues(env: Environment): Promise<string[]> {
  const vhost = decodeURIComponent(firstNode(env['RABBITMQ_URL'] ?? '').pathname.slice(1)) || '/';
  const queues = (await callManagement(
    managementOf(env),
    'GET',
    `/api/queues/${encodeURIComponent(vhost)}`,
  )) as { name: string; messages?: number }[];
  const looked = queues.filter(({ name }) => /\.commands\.((?:g\d+\.)?\d+|dead)$/.test(name));
  const known = await countMessages(
    firstNode(env['RABBITMQ_URL'] ?? '').href,
    looked.filter(({ messages }) => messages === undefined).map(({ name }) => name),
  );
  return looked
    .map(({ name, messages }) => ({ name, messages: messages ?? known.get(name) }))
    .filter(({ messages }) => messages !== 0)
    .map(({ name, messages }) => `${name}: ${String(messages)}`);
}

const WAITING_TABLES = {
  servers: ['dead_letter', 'outgoing_command'],
  embedded: ['dead_letter', 'outgoing_command', 'pending_command'],
};

/**
 * I7: nothing waits, is held or was dead-lettered once the storm is over. Resolves when that is so.
 */
export async function nothingWaits(env: Environment): Promise<void> {
  await waitUntil('I7: nothing waits', EMPTY_MS, async () => {
    const queues = env['MYSQL_URL'] ? await fullQueues(env) : [];
    const tables = await onDatabase(env, async (select) => {
      const counts = WAITING_TABLES[env['MYSQL_URL'] ? 'servers' : 'embedded'].map(
        async (table) => ({
          table,
          count: Number((await select(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.['n']),
        }),
      );
      return (await Promise.all(counts))
        .filter(({ count }) => count > 0)
        .map(({ table, count }) => `${table}: ${count}`);
    });
    if (queues.length + tables.length > 0) throw new Error([...queues, ...tables].join(', '));
    return true;
  });
}

/**
 * Everything above that is broken in the database of a system, given what its clients were told;
 * empty when all is well.
 */
export async function brokenInvariants(
  env: Environment,
  calls: readonly Call[],
): Promise<string[]> {
  return onDatabase(env, async (select) => {
    const events = await eventsInOrder(select);
    return [
      ...(await brokenPromises(select, events, calls)),
      ...brokenChains(events),
      ...brokenNumbers(events),
      ...brokenOrder(events),
      ...(await brokenStock(select, events)),
      ...(env['MYSQL_URL'] ? await brokenFence(select) : []),
    ];
  });
}

function grouped<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
