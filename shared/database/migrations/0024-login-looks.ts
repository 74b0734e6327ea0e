import { QueryTypes, type QueryInterface } from 'sequelize';
import { keptLookOf, LOOK_LENGTH_MAX } from '../../identity/names';
import { addColumns, addUniqueIndex, dialectOf } from './dialect';

/** Accounts that are read and written at a time. */
const ROWS_AT_ONCE = 500;

/**
 * Stores what the name of each account looks like, so that no new name looks the same. When
 * existing names look the same, only the oldest account keeps the look.
 */
export async function up(query: QueryInterface): Promise<void> {
  const { text } = dialectOf(query);
  await addColumns(query, 'user', { login_look: `${text(LOOK_LENGTH_MAX)} NULL` });
  await addUniqueIndex(query, 'user', 'user_login_look', 'login_look');
  for (let after = 0; ;) {
    const select =
      'SELECT id, username FROM `user` WHERE id > ? AND login_name IS NOT NULL AND login_look IS NULL ORDER BY id';
    const rows: { id: number; username: string }[] = await query.sequelize.query(
      `${select} LIMIT ${ROWS_AT_ONCE}`,
      {
        replacements: [after],
        type: QueryTypes.SELECT,
      },
    );
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
    await keepLooks(query, rows);
  }
}

async function keepLooks(
  query: QueryInterface,
  rows: readonly { id: number; username: string }[],
): Promise<void> {
  const { sqlite } = dialectOf(query);
  // One transaction, because committing each row could take minutes.
  await query.sequelize.transaction(async (transaction) => {
    for (const { id, username } of rows) {
      await query.sequelize.query(
        `UPDATE ${sqlite ? 'OR ' : ''}IGNORE \`user\` SET login_look = ? WHERE id = ?`,
        {
          replacements: [keptLookOf(username), id],
          transaction,
        },
      );
    }
  });
}
