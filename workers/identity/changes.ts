import { EndedToken } from '../../shared/identity/tables';
import { insertIgnoring } from '../batch/statements';
import type { Statement } from '../batch/transaction';

/** What commands change of accounts that are there. */
export type AccountChange =
  | { readonly kind: 'password'; readonly userId: number; readonly passwordHash: string; readonly generation: number }
  | { readonly kind: 'end-token'; readonly userId: number; readonly tokenId: string; readonly expiresAt: number };

const CHANGE_PASSWORD = 'UPDATE `user` SET password_hash = ?, token_generation = ? WHERE id = ?';

/** The writes of these changes, in their order. */
export function changeStatements(changes: readonly AccountChange[]): Statement[] {
  return changes.flatMap((change) => {
    const { userId } = change;
    if (change.kind === 'password') return [{ sql: CHANGE_PASSWORD, values: [change.passwordHash, change.generation, userId] }];
    return insertIgnoring(EndedToken, [{ id: change.tokenId, userId, expiresAt: new Date(change.expiresAt) }]);
  });
}
