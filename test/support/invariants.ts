import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { exportedServers } from './fresh';
import { callManagement } from './management';
import type { Environment } from './processes';
import { waitUntil } from './wait';

/** What must hold in the database and at the broker after a storm, whatever happened in it; each finding begins with the rule's number. */

/** How long queues may take to run empty once nobody sends any more, milliseconds. */
const EMPTY_MS = 60_000;

interface EventRow {
  readonly type: string;
  readonly aggregateId: string;
  readonly commandId: string;
  readonly data: Record<string, unknown>;
}

type Select = (sql: string) => Promise<RowDataPacket[]>;

async function onDatabase<Result>({ MYSQL_URL = '' }: Environment, work: (select: Select) => Promise<Result>): Promise<Result> {
  const connection = await createConnection(MYSQL_URL);
  try {
    return await work(async (sql) => (await connection.query<RowDataPacket[]>(sql))[0]);
  } finally {
    await connection.end();
  }
}

async function eventsInOrder(select: Select): Promise<EventRow[]> {
  const rows = await select('SELECT type, aggregate_id, command_id, data FROM outbox ORDER BY seq');
  return rows.map((row): EventRow => ({ type: row['type'], aggregateId: row['aggregate_id'], commandId: row['command_id'], data: JSON.parse(row['data']) }));
}

/** I4: each copy is lent and comes back in turn, each change by a command of its own. */
function brokenChains(events: readonly EventRow[]): string[] {
  const lentTo = new Map<unknown, unknown>();
  const found: string[] = [];
  for (const { type, commandId, data } of events) {
    const { bookId, borrowId } = data;
    if (type === 'lending.borrow.created') {
      if (lentTo.has(bookId)) found.push(`I4: copy ${String(bookId)} was lent as borrow ${String(borrowId)} by ${commandId} while it was lent as ${String(lentTo.get(bookId))}`);
      lentTo.set(bookId, borrowId);
    }
    if (type === 'lending.borrow.returned') {
      if (lentTo.get(bookId) !== borrowId) found.push(`I4: borrow ${String(borrowId)} of copy ${String(bookId)} came back while the copy was lent as ${String(lentTo.get(bookId))}`);
      lentTo.delete(bookId);
    }
  }
  return found;
}

/** I5: what one sender published one after the other took effect in that order: the titles are named 1, 2, 3 and so on. */
function brokenOrder(events: readonly EventRow[]): string[] {
  const last = new Map<string, { place: number; version: number }>();
  const found: string[] = [];
  for (const { type, aggregateId, data } of events) {
    const [, digits] = /^Order (\d+)$/.exec(String(data['title'])) ?? [];
    if (type !== 'lending.book-info.updated' || digits === undefined) continue;
    const place = Number(digits);
    const version = data['version'] as number;
    const before = last.get(aggregateId);
    if (before && (place <= before.place || version !== before.version + 1)) found.push(`I5: ${aggregateId} went from ${before.place} (version ${before.version}) to ${place} (version ${version})`);
    last.set(aggregateId, { place, version });
  }
  return found;
}

/** I9: a history of the epochs under which batches were committed, written by the database itself. */
export async function recordEpochs(env: Environment): Promise<void> {
  await onDatabase(env, async (select) => {
    await select('CREATE TABLE epoch_history (id BIGINT AUTO_INCREMENT PRIMARY KEY, partition_name VARCHAR(64) NOT NULL, epoch BIGINT NOT NULL, KEY (partition_name, id))');
    await select('CREATE TRIGGER epoch_recorded AFTER UPDATE ON partition_owner FOR EACH ROW INSERT INTO epoch_history (partition_name, epoch) VALUES (NEW.partition_name, NEW.epoch)');
  });
}

/** The row of a partition is locked until COMMIT, so within a partition the ids of the history are in the order of commits. */
const OLDER_EPOCHS = `SELECT a.partition_name, a.epoch AS epoch, MAX(b.epoch) AS earlier FROM epoch_history a JOIN epoch_history b
  ON b.partition_name = a.partition_name AND b.id < a.id AND b.epoch > a.epoch GROUP BY a.id, a.partition_name, a.epoch`;

/** The first node of a cluster. */
const firstNode = (urls: string): URL => new URL(urls.split(',')[0] ?? '');

/** The management API of a system's broker; null when the test does not tell it and the broker is not that of the run. */
function managementOf({ RABBITMQ_URL = '', RABBITMQ_MANAGEMENT_URL }: Environment): string | null {
  if (RABBITMQ_MANAGEMENT_URL) return RABBITMQ_MANAGEMENT_URL;
  const { rabbitmqUrl, rabbitmqManagementUrl } = exportedServers();
  return new URL(rabbitmqUrl).host === firstNode(RABBITMQ_URL).host ? rabbitmqManagementUrl : null;
}

/** I7: nothing waits and nothing is held once the storm is over. Resolves when that is so. */
export async function queuesRunEmpty(env: Environment): Promise<void> {
  const managementUrl = managementOf(env);
  if (managementUrl === null) return;
  const vhost = decodeURIComponent(firstNode(env['RABBITMQ_URL'] ?? '').pathname.slice(1)) || '/';
  await waitUntil('I7: the queues run empty', EMPTY_MS, async () => {
    const queues = (await callManagement(managementUrl, 'GET', `/api/queues/${encodeURIComponent(vhost)}`)) as { name: string; messages?: number }[];
    const full = queues.filter(({ name, messages = 0 }) => /\.commands\.\d+/.test(name) && messages > 0);
    if (full.length > 0) throw new Error(full.map(({ name, messages }) => `${name}: ${messages}`).join(', '));
    return true;
  });
}

/** Everything above that is broken in the database of a system; empty when all is well. */
export async function brokenInvariants(env: Environment): Promise<string[]> {
  return onDatabase(env, async (select) => {
    const events = await eventsInOrder(select);
    const recorded = await select(`SHOW TABLES LIKE 'epoch_history'`);
    const older = recorded.length === 0 ? [] : await select(OLDER_EPOCHS);
    const zombies = older.map((row) => `I9: ${String(row['partition_name'])} was written under epoch ${String(row['epoch'])} after epoch ${String(row['earlier'])}`);
    return [...brokenChains(events), ...brokenOrder(events), ...zombies];
  });
}
