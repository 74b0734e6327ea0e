import type { Sequelize } from 'sequelize-typescript';
import type { Logger } from '../../shared/logger';
import { breakerOpen } from '../metrics';
import { DatabaseUnavailable, isDatabaseUnavailable } from './unavailable';

/**
 * A circuit breaker: while the database is unavailable, its queries fail at once.
 *
 * - closed to open: `FAILURES_MAX` queries in a row found no database. Any answer, also an error,
 *   resets the count.
 * - open to closed: a query of the breaker's own was answered. It tries one every `PROBE_MS`.
 *
 * The breaker probes by itself, because a client's query would wait for a database that hangs.
 */

/** Failures in a row after which queries are not tried any more. */
export const FAILURES_MAX = 5;
/** Time between a try that failed and the next one, milliseconds. */
export const PROBE_MS = 500;

export class Breaker {
  private failures = 0;

  /** `probe` asks the database for anything, and fails within a limit when it is unavailable. */
  constructor(
    private readonly logger: Logger,
    private readonly probe: () => Promise<unknown>,
  ) {}

  /**
   * @throws DatabaseUnavailable, without running `work`, while the database is taken to be
   * unavailable.
   */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.failures >= FAILURES_MAX)
      throw new DatabaseUnavailable('the database was unavailable a moment ago');
    try {
      const result = await work();
      this.answered();
      return result;
    } catch (error) {
      if (isDatabaseUnavailable(error)) this.failed(error);
      else this.answered();
      throw error;
    }
  }

  /**
   * A query that was under way when the breaker opened proves nothing: it may be answered by what
   * the server sent before.
   */
  private answered(): void {
    if (this.failures < FAILURES_MAX) this.failures = 0;
  }

  private failed(error: unknown): void {
    this.failures += 1;
    if (this.failures !== FAILURES_MAX) return;
    breakerOpen.set(1);
    this.logger.error({ err: error }, 'the database is unavailable: queries fail at once');
    this.askLater();
  }

  private askLater(): void {
    // Nobody waits for this: a process that ends need not either.
    setTimeout(() => void this.ask(), PROBE_MS).unref();
  }

  private async ask(): Promise<void> {
    if (await this.probe().then(() => false, isDatabaseUnavailable)) {
      this.askLater();
      return;
    }
    this.failures = 0;
    breakerOpen.set(0);
    this.logger.info('the database is back');
  }
}

/**
 * Puts a breaker in front of every query of this Sequelize: all of them, of models too, go through
 * `query`.
 */
export function breakWhenUnavailable(database: Sequelize, logger: Logger): void {
  const query = database.query.bind(database) as (...given: unknown[]) => Promise<unknown>;
  const breaker = new Breaker(logger, () => query('SELECT 1'));
  database.query = ((...given: unknown[]) =>
    breaker.run(() => query(...given))) as Sequelize['query'];
}
