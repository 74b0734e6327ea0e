import { connectDatabase } from '../../shared/database/connect';
import { Outbox } from '../../shared/database/tables';
import type { Environment } from './processes';
import { callManagement } from './management';
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

async function eventsInOrder(): Promise<EventRow[]> {
  const rows = await Outbox.findAll({ order: ['seq'], raw: true });
  return rows.map(({ type, aggregateId, commandId, data }) => ({ type, aggregateId, commandId, data: JSON.parse(data) as Record<string, unknown> }));
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
export async function recordEpochs({ MYSQL_URL = '' }: Environment): Promise<void> {
  const database = connectDatabase({ url: MYSQL_URL, poolMax: 1 });
  try {
    await database.query('CREATE TABLE epoch_history (id BIGINT AUTO_INCREMENT PRIMARY KEY, partition_name VARCHAR(64) NOT NULL, epoch BIGINT NOT NULL)');
    await database.query('CREATE TRIGGER epoch_recorded AFTER UPDATE ON partition_owner FOR EACH ROW INSERT INTO epoch_history (partition_name, epoch) VALUES (NEW.partition_name, NEW.epoch)');
  } finally {
    await database.close();
  }
}

/** The row of a partition is locked until COMMIT, so within a partition the ids of the history are in the order of commits. */
const OLDER_EPOCHS = `SELECT a.partition_name, a.epoch AS epoch, MAX(b.epoch) AS earlier FROM epoch_history a JOIN epoch_history b
  ON b.partition_name = a.partition_name AND b.id < a.id AND b.epoch > a.epoch GROUP BY a.id, a.partition_name, a.epoch`;

/** I7: nothing waits and nothing is held once the storm is over. Resolves when that is so. */
export async function queuesRunEmpty({ RABBITMQ_URL = '' }: Environment, managementUrl: string): Promise<void> {
  const vhost = decodeURIComponent(new URL(RABBITMQ_URL).pathname.slice(1));
  await waitUntil('I7: the queues run empty', EMPTY_MS, async () => {
    const queues = (await callManagement(managementUrl, 'GET', `/api/queues/${encodeURIComponent(vhost)}`)) as { name: string; messages?: number }[];
    const full = queues.filter(({ name, messages = 0 }) => /\.commands\.\d+/.test(name) && messages > 0);
    if (full.length > 0) throw new Error(full.map(({ name, messages }) => `${name}: ${messages}`).join(', '));
    return true;
  });
}

/** Everything above that is broken in the database of a system; empty when all is well. */
export async function brokenInvariants({ MYSQL_URL = '' }: Environment): Promise<string[]> {
  const database = connectDatabase({ url: MYSQL_URL, poolMax: 1 });
  try {
    const events = await eventsInOrder();
    const [tables] = await database.query(`SHOW TABLES LIKE 'epoch_history'`);
    const [older] = tables.length === 0 ? [[]] : await database.query(OLDER_EPOCHS);
    const zombies = (older as { partition_name: string; epoch: number; earlier: number }[]).map(
      ({ partition_name, epoch, earlier }) => `I9: ${partition_name} was written under epoch ${epoch} after epoch ${earlier}`,
    );
    return [...brokenChains(events), ...brokenOrder(events), ...zombies];
  } finally {
    await database.close();
  }
}
