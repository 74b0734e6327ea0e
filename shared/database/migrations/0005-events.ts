import type { QueryInterface } from 'sequelize';
import { createTable, dialectOf } from './dialect';

/** The outbox as its relay needs it, and the leases of work that one worker does for all. */
export async function up(query: QueryInterface): Promise<void> {
  const { sqlite, autoId, instant, longText, text, ascii } = dialectOf(query);
  // Made anew: nothing was ever relayed from the first form, which had no order.
  await query.sequelize.query('DROP TABLE IF EXISTS outbox');
  await createTable(query, {
    name: 'outbox',
    columns: [
      `seq ${autoId}`,
      `event_id ${ascii(48)} NOT NULL`,
      `type ${ascii(64)} NOT NULL`,
      `aggregate_id ${text(128)} NOT NULL`,
      `command_id ${ascii(40)} NOT NULL`,
      `data ${longText} NOT NULL`,
      `occurred_at ${instant} NOT NULL`,
      `relayed_at ${instant} NULL`,
    ],
    unique: { outbox_event_id: 'event_id' },
    // What is pending stands together, in order, however much was relayed; what is old enough to
    // go, too.
    index: { outbox_relayed_at: 'relayed_at, seq' },
  });
  // Owners in SQLite are one process, which needs no lease.
  if (sqlite) return;
  await createTable(query, {
    name: 'lease',
    columns: [
      `name ${ascii(64)} NOT NULL PRIMARY KEY`,
      `owner ${ascii(64)} NOT NULL`,
      `until ${instant} NOT NULL`,
    ],
  });
}
