import type { QueryInterface } from 'sequelize';
import { createTable, dialectOf } from './dialect';

/** Recreates the outbox for its relay, and creates the leases of leader jobs. */
export async function up(query: QueryInterface): Promise<void> {
  const { sqlite, autoId, instant, longText, text, ascii } = dialectOf(query);
  // Created anew: the first form had no order, and nothing was ever relayed from it.
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
    // Pending rows are adjacent and in order, however many were relayed. So are rows that are old
    // enough to be removed.
    index: { outbox_relayed_at: 'relayed_at, seq' },
  });
  // In SQLite one process owns everything and needs no lease.
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
