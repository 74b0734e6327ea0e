import type { QueryInterface } from 'sequelize';
import { createTable, dialectOf } from './dialect';

/**
 * Creates notices. The unique key makes each event notify once. `mail_at` is when the e-mail is
 * sent or tried again, and null when none is due.
 */
export async function up(query: QueryInterface): Promise<void> {
  const { autoId, instant, ascii, longText } = dialectOf(query);
  await createTable(query, {
    name: 'notice',
    columns: [
      `id ${autoId}`,
      'user_id BIGINT NOT NULL',
      `event_id ${ascii(64)} NOT NULL`,
      `type ${ascii(64)} NOT NULL`,
      `about ${longText} NOT NULL`,
      `created_at ${instant} NOT NULL`,
      `read_at ${instant} NULL`,
      `mail_at ${instant} NULL`,
      'mail_tries INTEGER NOT NULL DEFAULT 0',
    ],
    unique: { notice_event: 'event_id' },
    index: {
      notice_user: 'user_id, created_at',
      notice_unread: 'user_id, read_at',
      notice_created: 'created_at',
      notice_mail: 'mail_at',
    },
  });
}
