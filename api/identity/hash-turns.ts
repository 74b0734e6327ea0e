import { Problem } from '../http/problem';

/**
 * Gives hashes their turns: sign-ins come first, and signups wait in a line of their own. A crowd
 * that signs up would otherwise hold up everybody who has an account.
 */

/** Hashes computed at the same time: half of libuv's four threads, which also serve files and name look-ups. */
const AT_ONCE_MAX = 2;
/** Of these, signups: a sign-in that comes finds the other place busy with sign-ins at most. */
const SIGNUPS_AT_ONCE_MAX = 1;
/** Sign-ins that may go before a signup which waits, so that a crowd of sign-ins starves none. */
export const SIGN_INS_PER_SIGNUP = 8;

export type Lane = 'sign-in' | 'signup';

/** Hashes that wait for their turn; beyond it a client gets 503 rather than a long wait. */
export const WAITING_MAX: Readonly<Record<Lane, number>> = { 'sign-in': 256, signup: 64 };

const TOO_MANY: Readonly<Record<Lane, string>> = {
  'sign-in': 'Too many people are signing in. Try again in a moment.',
  signup: 'Too many people are signing up. Try again in a moment.',
};

export class HashTurns {
  private readonly waiting: Readonly<Record<Lane, (() => void)[]>> = { 'sign-in': [], signup: [] };
  private readonly running: Record<Lane, number> = { 'sign-in': 0, signup: 0 };
  private signInsSince = 0;

  /**
   * Runs `compute` when its turn has come.
   * @throws Problem UNAVAILABLE when too many wait in its lane.
   */
  async run<T>(lane: Lane, compute: () => Promise<T>): Promise<T> {
    if (this.waiting[lane].length >= WAITING_MAX[lane]) throw new Problem('UNAVAILABLE', TOO_MANY[lane]);
    await new Promise<void>((resolve) => {
      this.waiting[lane].push(resolve);
      this.start();
    });
    try {
      return await compute();
    } finally {
      this.running[lane] -= 1;
      this.start();
    }
  }

  /** Starts those whose turn it is, as long as there are places. */
  private start(): void {
    while (this.running['sign-in'] + this.running.signup < AT_ONCE_MAX) {
      const lane = this.next();
      if (lane === null) return;
      this.signInsSince = lane === 'signup' ? 0 : this.signInsSince + 1;
      this.running[lane] += 1;
      this.waiting[lane].shift()?.();
    }
  }

  private next(): Lane | null {
    const signInWaits = this.waiting['sign-in'].length > 0;
    const signupMayStart = this.waiting.signup.length > 0 && this.running.signup < SIGNUPS_AT_ONCE_MAX;
    if (signupMayStart && (!signInWaits || this.signInsSince >= SIGN_INS_PER_SIGNUP)) return 'signup';
    return signInWaits ? 'sign-in' : null;
  }
}
