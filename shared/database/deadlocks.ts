import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseError } from 'sequelize';

/** Transactions that MySQL may end to resolve a deadlock. It ends the one that changed least. */

/** How often one is run: each time that it deadlocks, another transaction got ahead. */
const TRIES_MAX = 10;
/** Longest pause before the second time, milliseconds. It grows by as much with each. */
const PAUSE_MS = 20;

const isDeadlock = (error: unknown): boolean =>
  error instanceof DatabaseError &&
  (error.original as { code?: string }).code === 'ER_LOCK_DEADLOCK';

/**
 * Runs a whole transaction, and again when it was rolled back to resolve a deadlock.
 * @throws what the transaction throws, also a deadlock after 10 of them
 */
export async function despiteDeadlocks<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      if (tries === TRIES_MAX || !isDeadlock(error)) throw error;
      await pause(Math.random() * PAUSE_MS * tries);
    }
  }
}
