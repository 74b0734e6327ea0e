import { ipKeyGenerator } from 'express-rate-limit';
import { createCounts, type Counts, type CountsOptions } from '../http/security/counts';
import { tooMany } from '../http/security/rate-limit';

/** Bounds how many accounts people make, counted in Redis for all API processes. */

/** How long signups are counted together, milliseconds. */
const WINDOW_MS = 10 * 60_000;

export interface SignupLimitOptions extends CountsOptions {
  /** Most signups of one address in the window; 0 = no limit. */
  readonly perAddress: number;
  /** Most signups of all addresses in the window; 0 = no limit. */
  readonly inAll: number;
}

export interface SignupLimit {
  /**
   * @throws Problem RATE_LIMITED when the address, or everybody together, has signed up too often.
   */
  count(address: string): Promise<void>;
}

const EVERYBODY = 'everybody';

async function countOne(counts: Counts, key: string, max: number): Promise<void> {
  if (max === 0) return;
  const { totalHits, resetTime } = await counts.increment(key);
  if (totalHits > max) throw tooMany(resetTime ?? new Date(Date.now() + WINDOW_MS));
}

export function createSignupLimit({
  perAddress,
  inAll,
  ...options
}: SignupLimitOptions): SignupLimit {
  const addresses = createCounts('identity:signups:address:', WINDOW_MS, options);
  const all = createCounts('identity:signups:all:', WINDOW_MS, options);
  return {
    async count(address) {
      // The address first: one that tries on and on uses up nobody else's signups.
      await countOne(addresses, ipKeyGenerator(address), perAddress);
      await countOne(all, EVERYBODY, inAll);
    },
  };
}
