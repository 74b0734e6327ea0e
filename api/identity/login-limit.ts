import { ipKeyGenerator } from 'express-rate-limit';
import { createCounts, type Counts, type CountsOptions } from '../http/security/counts';
import { tooMany } from '../http/security/rate-limit';
import type { SignInLane } from './hash-turns';
import { loginNameOf } from './queries';

/**
 * Slows down the guessing of passwords. After some failed tries each further one makes the next
 * wait twice as long. Failed tries count for the account, wherever they come from, and for the
 * address, whatever the name. An account and an address that signed in together before are a known
 * pair: only tries of that pair make it wait, so that nobody else can shut its user out. Counts are
 * kept in Redis for all API processes, and in this process while Redis is unavailable.
 */

interface Rule {
  /** Failed tries without a delay. */
  readonly free: number;
  /** Milliseconds after the first failed try until the count starts anew. */
  readonly windowMs: number;
  /** Longest delay, milliseconds. */
  readonly delayMaxMs: number;
}

const MINUTE_MS = 60_000;
const ACCOUNT: Rule = { free: 10, windowMs: 24 * 60 * MINUTE_MS, delayMaxMs: 15 * MINUTE_MS };
/** An office may share one address. */
const ADDRESS: Rule = { free: 200, windowMs: 60 * MINUTE_MS, delayMaxMs: 15 * MINUTE_MS };
const KNOWN_PAIR: Rule = { free: 10, windowMs: 60 * MINUTE_MS, delayMaxMs: MINUTE_MS };
/** The first delay, milliseconds; each further one is twice as long. */
const DELAY_MS = 10_000;
/**
 * How long a pair stays known after its last sign-in, milliseconds; a timer of Node takes 24 days
 * at most.
 */
const KNOWN_MS = 20 * 24 * 60 * MINUTE_MS;

/** Tries of one account that wait for their turn. */
const TRIES_WAITING_MAX = 64;

/** Says whether the password is right; its hash waits in `lane`. */
export type Verify = (lane: SignInLane) => Promise<boolean>;

export interface LoginLimit {
  /**
   * Returns the result of `verify`.
   * @throws Problem RATE_LIMITED, without calling it, after too many failed attempts.
   */
  guard(username: string, address: string, verify: Verify): Promise<boolean>;
}

/**
 * Runs the tries of one key one after the other, so that many at once cannot slip through together.
 */
function createTurns() {
  const lines = new Map<string, { last: Promise<unknown>; length: number }>();
  return async <T>(key: string, run: () => Promise<T>): Promise<T> => {
    const line = lines.get(key) ?? { last: Promise.resolve(), length: 0 };
    if (line.length >= TRIES_WAITING_MAX) throw tooMany(new Date(Date.now() + 1000));
    lines.set(key, line);
    line.length += 1;
    const result = line.last.then(run);
    line.last = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      line.length -= 1;
      if (line.length === 0) lines.delete(key);
    }
  };
}

/** Delays that grow with each failed try of a key. */
class GrowingDelay {
  private readonly failures: Counts;
  /** One for each length, in which a key is as long as its delay lasts. */
  private readonly delays: readonly Counts[];

  constructor(
    name: string,
    private readonly rule: Rule,
    options: CountsOptions,
  ) {
    this.failures = createCounts(`identity:failures:${name}:`, rule.windowMs, options);
    const lengths = Array.from(
      { length: 1 + Math.ceil(Math.log2(rule.delayMaxMs / DELAY_MS)) },
      (_, step) => Math.min(rule.delayMaxMs, DELAY_MS * 2 ** step),
    );
    this.delays = lengths.map((delayMs) =>
      createCounts(`identity:delay:${name}:${delayMs}:`, delayMs, options),
    );
  }

  /** @throws Problem RATE_LIMITED while the delay after the last failed try lasts. */
  async check(key: string): Promise<void> {
    const info = await this.failures.get(key);
    const waiting = await this.delayAfter(info?.totalHits ?? 0)?.get(key);
    if (waiting) throw tooMany(waiting.resetTime ?? new Date(Date.now() + this.rule.delayMaxMs));
  }

  async failed(key: string): Promise<void> {
    const { totalHits } = await this.failures.increment(key);
    await this.delayAfter(totalHits)?.increment(key);
  }

  async succeeded(key: string): Promise<void> {
    if (await this.failures.get(key)) await this.failures.resetKey(key);
  }

  private delayAfter(failures: number): Counts | undefined {
    return failures < this.rule.free
      ? undefined
      : this.delays[Math.min(failures - this.rule.free, this.delays.length - 1)];
  }
}

export function createLoginLimit(options: CountsOptions): LoginLimit {
  const known = createCounts('identity:known:', KNOWN_MS, options);
  const delays = {
    account: new GrowingDelay('account', ACCOUNT, options),
    address: new GrowingDelay('address', ADDRESS, options),
    pair: new GrowingDelay('pair', KNOWN_PAIR, options),
  };
  const inTurn = createTurns();

  /** Returns the delays of an attempt, each with its key. */
  const delaysOf = (
    account: string,
    network: string,
    isKnown: boolean,
  ): readonly (readonly [GrowingDelay, string])[] =>
    isKnown
      ? [[delays.pair, `${network}:${account}`]]
      : [
          [delays.address, network],
          [delays.account, account],
        ];

  return {
    guard: async (username, address, verify) => {
      const [account, network] = [loginNameOf(username), ipKeyGenerator(address)];
      const pair = `${network}:${account}`;
      const isKnown = (await known.get(pair)) !== undefined;
      const subjectTo = delaysOf(account, network, isKnown);
      return inTurn(isKnown ? pair : account, async () => {
        for (const [delay, key] of subjectTo) await delay.check(key);
        const right = await verify(isKnown ? 'known' : 'sign-in');
        if (!right) for (const [delay, key] of subjectTo) await delay.failed(key);
        else {
          const own = subjectTo.at(-1);
          await own?.[0].succeeded(own[1]);
          await known.resetKey(pair);
          await known.increment(pair);
        }
        return right;
      });
    },
  };
}
