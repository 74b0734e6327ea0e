import { QueryTypes, type QueryInterface } from 'sequelize';
import { createTable, dialectOf } from './dialect';

/** Waiting events that are read at a time. */
const AT_A_TIME = 1000;
/** The table as it was. */
const FORMER = 'outbox_0005';

interface WaitingEvent {
  readonly seq: number;
  readonly event_id: string;
  readonly type: string;
  readonly aggregate_id: string;
  readonly command_id: string;
  readonly data: string;
  readonly occurred_at: Date | string;
}

/**
 * Rebuilds the outbox with the events of a batch in few rows. Waiting events are copied in their
 * order. Published ones are not.
 */
export async function up(query: QueryInterface): Promise<void> {
  const { autoId, instant, longText } = dialectOf(query);
  // The former table is dropped last. While it exists, `outbox` may be missing or half full.
  if (!(await query.tableExists(FORMER)) && !('events' in (await query.describeTable('outbox'))))
    await query.renameTable('outbox', FORMER);
  await createTable(query, {
    name: 'outbox',
    columns: [
      `seq ${autoId}`,
      `events ${longText} NOT NULL`,
      `occurred_at ${instant} NOT NULL`,
      `relayed_at ${instant} NULL`,
    ],
    // Pending rows are adjacent and in order, however many were relayed. So are rows that are old
    // enough to be removed.
    index: { outbox_pending: 'relayed_at, seq' },
  });
  if (!(await query.tableExists(FORMER))) return;
  // Removes what an unfinished run has copied.
  await query.bulkDelete('outbox', {});
  for await (const event of waitingEvents(query))
    await query.bulkInsert('outbox', [{ events: lineOf(event), occurred_at: event.occurred_at }]);
  await query.dropTable(FORMER);
}

async function* waitingEvents(query: QueryInterface): AsyncGenerator<WaitingEvent> {
  const sql = `SELECT * FROM ${FORMER} WHERE relayed_at IS NULL AND seq > ? ORDER BY seq LIMIT ${AT_A_TIME}`;
  for (let after = 0; ;) {
    const page = await query.sequelize.query<WaitingEvent>(sql, {
      replacements: [after],
      type: QueryTypes.SELECT,
    });
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    after = last.seq;
  }
}

function lineOf({
  event_id: eventId,
  type,
  occurred_at: occurredAt,
  aggregate_id: aggregateId,
  command_id: commandId,
  data,
}: WaitingEvent): string {
  return JSON.stringify({
    eventId,
    type,
    occurredAt: new Date(occurredAt),
    aggregateId,
    commandId,
    data: JSON.parse(data) as unknown,
  });
}
