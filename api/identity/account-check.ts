import { boundedCache } from '../../shared/bounded-cache';
import type { Cache } from '../../shared/cache/cache';
import type { Actor } from '../../shared/command';
import { accountSubject } from '../../shared/identity/tables';
import type { Authenticate } from '../http/security/authenticate';
import { Problem } from '../http/responses/problem';
import { contextOf, type TokenFacts } from '../http/request-context';
import { AccountReader, type Account } from './accounts';

/**
 * Holds every token against its account: whether it was ended, and which rights are left of those
 * it names.
 *
 * Each process keeps the accounts it has met, under the version that the cache knows of them.
 * Workers give an account a new version before they reply, so a token that was ended is refused
 * everywhere from then on. Asking for the versions costs one question of the cache for all requests
 * of a turn of the event loop, and none of the database.
 */

/** Accounts kept. About 10 MB when all places are taken. */
const ACCOUNTS_KEPT_MAX = 50_000;
/**
 * How old an account may be until it is read again, milliseconds: for changes that somebody makes
 * with SQL.
 */
const REREAD_AFTER_MS = 5000;

interface Kept {
  readonly version: string;
  readonly account: Promise<Account | null>;
  rereadAt: number;
}

/** Finds accounts; without a cache each request reads for itself. */
function createAccounts(
  cache: Pick<Cache, 'version'>,
): (userId: number) => Promise<Account | null> {
  const accounts = boundedCache<number, Kept>(ACCOUNTS_KEPT_MAX);
  const reader = new AccountReader();

  const keep = (userId: number, version: string): Kept => {
    const kept = {
      version,
      account: reader.read(userId),
      rereadAt: performance.now() + REREAD_AFTER_MS,
    };
    accounts.set(userId, kept);
    const forget = () => {
      if (accounts.peek(userId) === kept) accounts.delete(userId);
    };
    // A row that is missing may be made at any time, and nobody is told of that.
    kept.account.then((account) => {
      if (!account) forget();
    }, forget);
    return kept;
  };

  /** Reads an account again and replaces the kept one, which counts until then. */
  const reread = async (userId: number, kept: Kept): Promise<void> => {
    kept.rereadAt = Infinity;
    const account = await reader.read(userId).catch(() => kept.account);
    const replaced = accounts.peek(userId) === kept;
    if (replaced && account)
      accounts.set(userId, {
        ...kept,
        account: Promise.resolve(account),
        rereadAt: performance.now() + REREAD_AFTER_MS,
      });
    else if (replaced) accounts.delete(userId);
  };

  return async (userId) => {
    const version = await cache.version(accountSubject(userId));
    if (version === null) return reader.read(userId);
    const kept = accounts.get(userId);
    if (kept?.version !== version) return keep(userId, version).account;
    if (performance.now() > kept.rereadAt) void reread(userId, kept).catch(() => undefined);
    return kept.account;
  };
}

const revoked = (detail: string): Problem => new Problem('TOKEN_REVOKED', detail);
const noAccount = (): Problem => revoked('The account of this token does not exist.');

/**
 * Returns the actor, with the rights that both the token and the account have.
 * @throws Problem TOKEN_REVOKED
 */
export function checkedActor(actor: Actor, token: TokenFacts, account: Account | null): Actor {
  if (!account) {
    if (token.generation === null) return actor;
    throw noAccount();
  }
  const { role, isAdmin, generation, endedTokens, isBlocked, isErased } = account;
  if (isErased) throw noAccount();
  if (isBlocked) throw revoked('The account of this token is blocked.');
  if (endedTokens.has(token.id)) throw revoked('This token was signed out. Sign in again.');
  if ((token.generation ?? 0) !== generation)
    throw revoked('The tokens of this account were ended. Sign in again.');
  return {
    ...actor,
    role: actor.role === role ? role : 'user',
    isAdmin: actor.isAdmin && isAdmin,
    ...(token.generation !== null && { isIssued: true }),
  };
}

/**
 * Returns the actor of a provider's token, whose claims give its rights. Only a block and an
 * erasure count here.
 * @throws Problem TOKEN_REVOKED
 */
export function providedActor(actor: Actor, _token: TokenFacts, account: Account | null): Actor {
  if (account?.isErased) throw noAccount();
  if (account?.isBlocked) throw revoked('The account of this token is blocked.');
  return actor;
}

export interface AccountCheckOptions {
  readonly cache: Pick<Cache, 'version'>;
  readonly check: typeof checkedActor;
  /** Whether a password that was made for an account must be changed before anything else. */
  readonly changesFirstPassword: boolean;
}

/** Checks tokens against accounts. */
export function checkAccounts(
  authenticate: Authenticate,
  { cache, check, changesFirstPassword }: AccountCheckOptions,
): Authenticate {
  const accountOf = createAccounts(cache);
  return async (request, response) => {
    const actor = await authenticate(request, response);
    const context = contextOf(response);
    const { token } = context;
    if (actor.userId === null || !token) return actor;
    const account = await accountOf(actor.userId);
    const checked = check(actor, token, account);
    if (changesFirstPassword && account?.mustChangePassword) context.mustChangePassword = true;
    return checked;
  };
}
