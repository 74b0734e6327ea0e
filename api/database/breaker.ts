import type { Sequelize } from 'sequelize-typescript';
import type { Logger } from '../../shared/logger';
import { DatabaseAway, isDatabaseAway } from './away';

/**
 * A circuit breaker: while the database is away its queries fail at once, instead of each waiting in vain for a
 * connection or for an answer.
 *
 *   closed -> open     FAILURES_MAX queries in a row found no database; any answer, also an error, sets the count back
 *   open -> probing    OPEN_MS after the last failure the next query is let through, alone
 *   probing -> closed  it was answered
 *   probing -> open    it was not
 */

/** Failures in a row after which queries are not tried any more. */
export const FAILURES_MAX = 5;
/** How long none is tried then, milliseconds. */
export const OPEN_MS = 1000;

export class Breaker {
  private failures = 0;
  private failedAt = 0;
  private probing = false;

  constructor(private readonly logger: Logger) {}

  /** @throws DatabaseAway, without running `work`, while the database is taken to be away. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const probe = this.failures >= FAILURES_MAX;
    if (probe && (this.probing || performance.now() - this.failedAt < OPEN_MS)) throw new DatabaseAway('the database was away a moment ago');
    if (probe) this.probing = true;
    try {
      const result = await work();
      this.answered();
      return result;
    } catch (error) {
      if (isDatabaseAway(error)) this.failed(error);
      else this.answered();
      throw error;
    } finally {
      if (probe) this.probing = false;
    }
  }

  private answered(): void {
    if (this.failures >= FAILURES_MAX) this.logger.info('the database is back');
    this.failures = 0;
  }

  private failed(error: unknown): void {
    this.failures += 1;
    this.failedAt = performance.now();
    if (this.failures === FAILURES_MAX) this.logger.error({ err: error }, 'the database is away: queries fail at once');
  }
}

/** Puts a breaker in front of every query of this Sequelize: all of them, of models too, go through `query`. */
export function breakWhenAway(database: Sequelize, logger: Logger): void {
  const breaker = new Breaker(logger);
  const query = database.query.bind(database) as (...given: unknown[]) => Promise<unknown>;
  database.query = ((...given: unknown[]) => breaker.run(() => query(...given))) as Sequelize['query'];
}
