import { Op } from 'sequelize';
import type { Role } from '../../shared/command';
import { EndedToken, User } from '../../shared/identity/tables';

/** What a token is held against. */
export interface Account {
  readonly role: Role;
  readonly isAdmin: boolean;
  readonly generation: number;
  readonly isBlocked: boolean;
  readonly isErased: boolean;
  readonly mustChangePassword: boolean;
  readonly endedTokens: ReadonlySet<string>;
}

/** Most accounts of one query. */
const AT_ONCE_MAX = 1000;

interface Waiting {
  readonly userId: number;
  readonly found: (account: Account | null) => void;
  readonly failed: (error: unknown) => void;
}

/** Raw rows: to make models of them was a tenth of what the API does for a borrow. */
async function readAccounts(userIds: readonly number[]): Promise<ReadonlyMap<number, Account>> {
  const ids = { [Op.in]: [...new Set(userIds)] };
  const [users, ended] = await Promise.all([
    User.findAll({
      attributes: [
        'id',
        'role',
        'isAdmin',
        'tokenGeneration',
        'status',
        'erasedAt',
        'mustChangePassword',
      ],
      where: { id: ids },
      raw: true,
    }),
    EndedToken.findAll({ attributes: ['id', 'userId'], where: { userId: ids }, raw: true }),
  ]);
  const endedTokens = new Map<number, Set<string>>();
  for (const { id, userId } of ended)
    endedTokens.set(userId, (endedTokens.get(userId) ?? new Set()).add(id));
  const accountOf = ({
    id,
    role,
    isAdmin,
    tokenGeneration: generation,
    status,
    erasedAt,
    mustChangePassword,
  }: User): Account => {
    const isBlocked = status === 'blocked';
    const isErased = erasedAt !== null;
    return {
      role,
      // A raw row holds 0 or 1.
      isAdmin: Boolean(isAdmin),
      generation,
      isBlocked,
      isErased,
      mustChangePassword: Boolean(mustChangePassword),
      endedTokens: endedTokens.get(id) ?? new Set(),
    };
  };
  return new Map(users.map((user) => [user.id, accountOf(user)]));
}

/**
 * Reads accounts, those that are asked for meanwhile together: a crowd of users whom this process
 * has not met would otherwise take every connection to the database.
 */
export class AccountReader {
  private waiting: Waiting[] = [];
  private reading = false;

  /** Resolves with null when there is no such account. */
  read(userId: number): Promise<Account | null> {
    return new Promise((found, failed) => {
      this.waiting.push({ userId, found, failed });
      if (!this.reading) void this.readAll();
    });
  }

  private async readAll(): Promise<void> {
    this.reading = true;
    // One turn of the event loop, so that those who ask in the same moment share a query.
    await new Promise(setImmediate);
    while (this.waiting.length > 0) {
      const some = this.waiting.splice(0, AT_ONCE_MAX);
      try {
        const accounts = await readAccounts(some.map(({ userId }) => userId));
        for (const { userId, found } of some) found(accounts.get(userId) ?? null);
      } catch (error) {
        for (const { failed } of some) failed(error);
      }
    }
    this.reading = false;
  }
}
