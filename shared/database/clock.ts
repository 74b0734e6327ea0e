import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import type { Logger } from '../logger';

/**
 * What time it is: the database's, for every process alike, whatever the clocks of their machines
 * say and however they are set meanwhile. So a command id that one API made is no day old for
 * another, and no worker lets a hold expire before its time. Between two looks at the database's
 * clock this process counts on by a clock that nobody sets.
 */

/** How often the database is asked, milliseconds. */
const LOOK_MS = 10_000;
/** How often it is asked at the start: one answer may have been held up. */
const FIRST_LOOKS = 4;
/** By how much two clocks drift apart in a millisecond, at most. */
const DRIFT = 0.0001;

/** The present instant. */
export type Now = () => Date;

export interface Clock {
  readonly now: Now;
  close(): void;
}

/**
 * By how much the database's clock is ahead of `performance.now()`, milliseconds: an answer was
 * given somewhere between the question and its arrival, so it tells two bounds, the narrower the
 * faster it came.
 */
interface Bounds {
  readonly low: number;
  readonly high: number;
  /** When the answer came, by `performance.now()`. */
  readonly at: number;
}

/** A SQLite file has no clock of its own: it is one process's, and so is the time. */
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
 * What both answers allow. When that is nothing, the database's clock was set in between, and the
 * later one counts.
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
  // It has counted whole milliseconds.
  const ms = Number(row?.ms);
  return { low: ms - at, high: ms + 1 - asked, at };
}
