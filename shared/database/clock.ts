import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import type { Logger } from '../logger';

/**
 * The time of the database, which all processes use, whatever the clocks of their machines say.
 * An API therefore accepts the command ids of another, and no worker lets a hold expire early.
 * Between two readings of the database's clock, the process counts on with a monotonic clock.
 */

/** How often the database is asked, milliseconds. */
const LOOK_MS = 10_000;
/** How often it is asked at the start, because one answer may be delayed. */
const FIRST_LOOKS = 4;
/** How far two clocks drift apart per millisecond, at most. */
const DRIFT = 0.0001;

/** The present instant. */
export type Now = () => Date;

export interface Clock {
  readonly now: Now;
  close(): void;
}

/**
 * By how much the database's clock is ahead of `performance.now()`, milliseconds. It was read
 * between question and answer, so a reading gives two bounds. A faster answer gives narrower ones.
 */
interface Bounds {
  readonly low: number;
  readonly high: number;
  /** When the answer came, by `performance.now()`. */
  readonly at: number;
}

/** Opens the clock. A SQLite file belongs to one process, so the process's own clock is used. */
export async function openClock(database: Sequelize, logger: Logger): Promise<Clock> {
  if (database.getDialect() === 'sqlite') return { now: () => new Date(), close: () => undefined };
  let known = await look(database);
  for (let looks = 1; looks < FIRST_LOOKS; looks += 1)
    known = narrowed(known, await look(database));
  const timer = setInterval(() => {
    look(database).then(
      (seen) => {
        known = narrowed(known, seen);
      },
      (error: unknown) => {
        logger.debug({ err: error }, 'clock of the database not read');
      },
    );
  }, LOOK_MS);
  timer.unref();
  return {
    now: () => new Date(Math.floor(performance.now() + (known.low + known.high) / 2)),
    close: () => {
      clearInterval(timer);
    },
  };
}

/**
 * Returns the range that both readings allow. Without one, the database's clock was set in between,
 * and the later reading counts.
 */
export function narrowed(known: Bounds, seen: Bounds): Bounds {
  const drift = DRIFT * (seen.at - known.at);
  const both = {
    low: Math.max(known.low - drift, seen.low),
    high: Math.min(known.high + drift, seen.high),
    at: seen.at,
  };
  return both.low <= both.high ? both : seen;
}

async function look(database: Sequelize): Promise<Bounds> {
  const asked = performance.now();
  const [row] = await database.query<{ ms: string }>('SELECT UNIX_TIMESTAMP(NOW(3)) * 1000 AS ms', {
    type: QueryTypes.SELECT,
  });
  const at = performance.now();
  // The database counts whole milliseconds.
  const ms = Number(row?.ms);
  return { low: ms - at, high: ms + 1 - asked, at };
}
