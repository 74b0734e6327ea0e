import { accountKey, userKey } from '../../shared/identity/commands';
import { erasedName, lookOf } from '../../shared/identity/names';
import type { Statement } from '../batch/sql/transaction';

/**
 * The writes that erase a person. `test/support/check/personal-columns.ts` lists every column with
 * a user's id or name, and what happens to it.
 */

export interface Erasure {
  readonly userId: number;
  /** The name that is erased. */
  readonly username: string;
  readonly at: Date;
}

const SQL = {
  user: `UPDATE \`user\` SET username = ?, login_name = NULL, login_look = NULL, password_hash = NULL, email = NULL, locale = 'en',
    role = 'user', is_admin = 0, status = 'blocked', category = 'general', reset_id = NULL, reset_expires_at = NULL,
    token_generation = token_generation + 1, erased_at = ? WHERE id = ?`,
  endedTokens: 'DELETE FROM ended_token WHERE user_id = ?',
  notices: 'DELETE FROM notice WHERE user_id = ?',
  auditOfActor: 'UPDATE audit SET actor_name = ?, address = NULL WHERE actor_id = ?',
  // The address of failed sign-ins is erased as well, because it may be the person's.
  auditOfAccount: `UPDATE audit SET target = ?, address = CASE WHEN actor_id IS NULL THEN NULL ELSE address END,
    details = JSON_REMOVE(JSON_REPLACE(details, '$.payload.username', ?), '$.payload.changes.email')
    WHERE target IN (?, ?) AND JSON_VALID(details)`,
  deadLetters:
    'UPDATE dead_letter SET content = REPLACE(content, ?, ?) WHERE INSTR(content, ?) > 0',
};

/** Returns the sender of a command, as its text contains them. */
const sender = (userId: number, username: string): string =>
  `"userId":${userId},"username":${JSON.stringify(username)}`;

export function erasureStatements({ userId, username, at }: Erasure): Statement[] {
  const name = erasedName(userId);
  const account = userKey(userId);
  const sent = sender(userId, username);
  return [
    { sql: SQL.user, values: [name, at, userId] },
    { sql: SQL.endedTokens, values: [userId] },
    { sql: SQL.notices, values: [userId] },
    { sql: SQL.auditOfActor, values: [name, userId] },
    { sql: SQL.auditOfAccount, values: [account, name, account, accountKey(lookOf(username))] },
    { sql: SQL.deadLetters, values: [sent, sender(userId, name), sent] },
  ];
}
