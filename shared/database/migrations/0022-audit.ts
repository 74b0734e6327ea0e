import type { QueryInterface } from 'sequelize';
import { createTable, dialectOf } from './dialect';

/**
 * Creates the audit: who did what to whom, from which address. Every index ends with the primary
 * key in both databases.
 */
export async function up(query: QueryInterface): Promise<void> {
  const { autoId, instant, ascii, text, longText } = dialectOf(query);
  await createTable(query, {
    name: 'audit',
    columns: [
      `id ${autoId}`,
      `at ${instant} NOT NULL`,
      'actor_id BIGINT NULL',
      `actor_name ${text(255)} NULL`,
      `action ${ascii(64)} NOT NULL`,
      `target ${text(600)} NULL`,
      `details ${longText} NOT NULL`,
      `address ${ascii(64)} NULL`,
      `request_id ${ascii(128)} NULL`,
    ],
    index: {
      audit_at: 'at',
      audit_actor: 'actor_id, at',
      audit_action: 'action, at',
      audit_target: 'target, at',
    },
  });
}
