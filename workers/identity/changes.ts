import type { Locale, UserStatus } from '../../shared/identity/commands';
import { EndedToken } from '../../shared/identity/tables';
import { insertIgnoring } from '../batch/sql/statements';
import type { Statement } from '../batch/sql/transaction';
import { erasureStatements, type Erasure } from './erase';

/** Changes of existing accounts. */
export type AccountChange = { readonly userId: number } & (
  | { readonly kind: 'password'; readonly passwordHash: string }
  | { readonly kind: 'end-token'; readonly tokenId: string; readonly expiresAt: number }
  | { readonly kind: 'profile'; readonly email: string | null; readonly locale: Locale }
  | { readonly kind: 'read-notices'; readonly noticeId: number | null; readonly at: Date }
  | ({ readonly kind: 'erase' } & Omit<Erasure, 'userId'>)
  | { readonly kind: 'reset'; readonly resetId: string; readonly expiresAt: number }
  | {
      readonly kind: 'rights';
      readonly role: 'user' | 'lecturer';
      readonly isAdmin: boolean;
      readonly status: UserStatus;
      readonly category: string;
      /** Rights were taken away, so every token ends. */
      readonly endsTokens: boolean;
    }
);

/** Passwords and rights change from two queues, so each adds to the number of generations. */
const SQL = {
  password:
    'UPDATE `user` SET password_hash = ?, token_generation = token_generation + 1, must_change_password = 0, reset_id = NULL, reset_expires_at = NULL WHERE id = ?',
  profile: 'UPDATE `user` SET email = ?, locale = ? WHERE id = ?',
  reset: 'UPDATE `user` SET reset_id = ?, reset_expires_at = ? WHERE id = ?',
  readNotices: 'UPDATE notice SET read_at = ? WHERE user_id = ? AND read_at IS NULL',
  rights:
    'UPDATE `user` SET role = ?, is_admin = ?, status = ?, category = ?, token_generation = token_generation + ? WHERE id = ?',
};

function statementsOf(change: AccountChange): Statement[] {
  const { userId } = change;
  switch (change.kind) {
    case 'password':
      return [{ sql: SQL.password, values: [change.passwordHash, userId] }];
    case 'end-token':
      return insertIgnoring(EndedToken, [
        { id: change.tokenId, userId, expiresAt: new Date(change.expiresAt) },
      ]);
    case 'profile':
      return [{ sql: SQL.profile, values: [change.email, change.locale, userId] }];
    case 'reset':
      return [{ sql: SQL.reset, values: [change.resetId, new Date(change.expiresAt), userId] }];
    case 'read-notices': {
      const one = change.noticeId === null ? [] : [change.noticeId];
      const sql = `${SQL.readNotices}${one.length > 0 ? ' AND id = ?' : ''}`;
      return [{ sql, values: [change.at, userId, ...one] }];
    }
    case 'erase':
      return erasureStatements(change);
    case 'rights': {
      const { role, isAdmin, status, category, endsTokens } = change;
      return [
        {
          sql: SQL.rights,
          values: [role, isAdmin ? 1 : 0, status, category, endsTokens ? 1 : 0, userId],
        },
      ];
    }
  }
}

/** Returns the writes of these changes, in order. */
export const changeStatements = (changes: readonly AccountChange[]): Statement[] =>
  changes.flatMap(statementsOf);
