import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import type { Logger } from '../logger';

/**
 * What time it is: the database's, for every process alike, whatever the clocks of their machines say and however they are
 * set meanwhile. So a command id that one API made is no day old for another, and no worker lets a hold expire before its
 * time. Between two looks at the database's clock this process counts on by a clock that nobody sets.
 */

/** How often the database is asked, milliseconds: clocks drift by less than a millisecond meanwhile. */
const LOOK_MS = 10_000;
/** An answer that took longer than this tells nothing better than what is known, milliseconds. */
const ANSWER_MAX_MS = 1000;

/** The present instant. */
export type Now = () => Date;

export interface Clock {
  readonly now: Now;
  close(): void;
}

/** A SQLite file has no clock of its own: it is one process's, and so is the time. */
export async function openClock(database: Sequelize, logger: Logger): Promise<Clock> {
  if (database.getDialect() === 'sqlite') return { now: () => new Date(), close: () => undefined };
  let { aheadMs } = await look(database);
  const timer = setInterval(() => {
    look(database).then(
      (seen) => {
        if (seen.tookMs <= ANSWER_MAX_MS) aheadMs = seen.aheadMs;
      },
      (error: unknown) => {
        logger.debug({ err: error }, 'clock of the database not read');
      },
    );
  }, LOOK_MS);
  timer.unref();
  return {
    now: () => new Date(Math.floor(performance.now() + aheadMs)),
    close: () => {
      clearInterval(timer);
    },
  };
}

/** By how much the database's clock is ahead of `performance.now()`, as of the middle of the time that the answer took. */
async function look(database: Sequelize): Promise<{ readonly aheadMs: number; readonly tookMs: number }> {
  const asked = performance.now();
  const [row] = await database.query<{ ms: string }>('SELECT UNIX_TIMESTAMP(NOW(3)) * 1000 AS ms', { type: QueryTypes.SELECT });
  const tookMs = performance.now() - asked;
  return { aheadMs: Number(row?.ms) - asked - tookMs / 2, tookMs };
}
