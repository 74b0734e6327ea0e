import { Problem } from '../http/responses/problem';

/**
 * Gives hashes their turns. Lanes go by rank: accounts at an address where they signed in before,
 * other sign-ins, signups. A crowd that guesses or signs up would otherwise hold up everybody.
 */

/** Half of libuv's four threads, which also serve files and name look-ups. */
const AT_ONCE_MAX = 2;
/**
 * Of the hashes computed at once: where there are two, a sign-in finds the other busy with sign-ins
 * at most.
 */
const SIGNUPS_AT_ONCE_MAX = 1;
/** Hashes of higher lanes that may pass a waiting one, so that a crowd in them starves nobody. */
export const PASSED_MAX = 8;

/** Highest rank first. */
const LANES = ['known', 'sign-in', 'signup'] as const;

export type Lane = (typeof LANES)[number];
/** `known`: by an account at an address where it signed in before. */
export type SignInLane = Exclude<Lane, 'signup'>;

/** Hashes that wait for their turn; beyond it a client gets 503 rather than a long wait. */
export const WAITING_MAX: Readonly<Record<Lane, number>> = {
  known: 256,
  'sign-in': 256,
  signup: 64,
};

const TOO_MANY_SIGN_INS = 'Too many people are signing in. Try again in a moment.';
const TOO_MANY: Readonly<Record<Lane, string>> = {
  known: TOO_MANY_SIGN_INS,
  'sign-in': TOO_MANY_SIGN_INS,
  signup: 'Too many people are signing up. Try again in a moment.',
};

/** Hashes that a machine computes at once: a processor is left for everything else. */
export const hashesAtOnce = (processors: number): number =>
  Math.min(AT_ONCE_MAX, Math.max(1, processors - 1));

export class HashTurns {
  private readonly waiting: Readonly<Record<Lane, (() => void)[]>> = {
    known: [],
    'sign-in': [],
    signup: [],
  };
  private running = 0;
  private signupsRunning = 0;
  /** How many hashes of higher lanes have passed the first one in each lane. */
  private readonly passed: Record<Lane, number> = { known: 0, 'sign-in': 0, signup: 0 };

  constructor(private readonly atOnceMax: number) {}

  /**
   * Runs `compute` when its turn has come.
   * @throws Problem UNAVAILABLE when too many wait in its lane.
   */
  async run<T>(lane: Lane, compute: () => Promise<T>): Promise<T> {
    if (this.waiting[lane].length >= WAITING_MAX[lane])
      throw new Problem('UNAVAILABLE', TOO_MANY[lane]);
    await new Promise<void>((resolve) => {
      this.waiting[lane].push(resolve);
      this.start();
    });
    try {
      return await compute();
    } finally {
      this.running -= 1;
      if (lane === 'signup') this.signupsRunning -= 1;
      this.start();
    }
  }

  /** Starts the next hashes, as long as there are places. */
  private start(): void {
    while (this.running < this.atOnceMax) {
      const ready = LANES.filter((lane) => this.mayStart(lane));
      const lane = ready.findLast((each) => this.passed[each] >= PASSED_MAX) ?? ready[0];
      if (lane === undefined) return;
      this.take(lane);
    }
  }

  private mayStart(lane: Lane): boolean {
    return (
      this.waiting[lane].length > 0 &&
      (lane !== 'signup' || this.signupsRunning < SIGNUPS_AT_ONCE_MAX)
    );
  }

  private take(lane: Lane): void {
    for (const lower of LANES.slice(LANES.indexOf(lane) + 1)) {
      if (this.waiting[lower].length > 0) this.passed[lower] += 1;
    }
    this.passed[lane] = 0;
    this.running += 1;
    if (lane === 'signup') this.signupsRunning += 1;
    this.waiting[lane].shift()?.();
  }
}
