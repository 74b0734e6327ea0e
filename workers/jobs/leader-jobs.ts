import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { Sequelize } from 'sequelize-typescript';
import { JOB_LEASE_S } from '../../shared/database/lease';
import type { Logger } from '../../shared/logger';
import { retryPauseMs } from '../batch/failures/retry';
import { placeholders } from '../batch/sql/statements';
import { atOnce } from '../batch/sql/dialects';

/**
 * Runs jobs that one worker does for all.
 * Each job has a lease: a row with its owner and its end, by the database's clock. The owner renews
 * it. When it has ended, the first worker that asks gets it. A worker that stops gives its leases
 * up, and the leases of a dead worker end.
 * A lease is no lock: a frozen worker may finish a run after another worker has begun one. Two runs
 * at once must therefore do no harm. The embedded process is alone and needs no lease.
 */

/** How often a worker renews its leases and asks for those of others, milliseconds. */
const RENEW_MS = 1000;
/** How long runs under way may take at shutdown, milliseconds. */
const STOP_MS = 5000;

export interface LeaderJob {
  /** Name of its lease. */
  readonly name: string;
  /** Pause after a run that left nothing to do, milliseconds. */
  readonly everyMs: number;
  /** Does a bounded piece of work. True when there is more. After an error it runs again later. */
  run(): Promise<boolean>;
}

export interface LeaderJobsOptions {
  readonly database: Sequelize;
  /** Name of this worker, unique among those that run. */
  readonly worker: string;
  readonly logger: Logger;
  readonly jobs: readonly LeaderJob[];
}

export class LeaderJobs {
  private readonly stopping = new AbortController();
  private readonly alone: boolean;
  /**
   * When the leases of this worker end, by its own clock. They are counted from before the request,
   * so never later than for the database.
   */
  private readonly ends = new Map<string, number>();
  private loops: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: LeaderJobsOptions) {
    this.alone = options.database.getDialect() === 'sqlite';
  }

  async start(): Promise<void> {
    const { database, jobs } = this.options;
    if (!this.alone) {
      for (const { name } of jobs)
        await database.query(
          "INSERT IGNORE INTO lease (name, owner, `until`) VALUES (?, '', NOW(3))",
          { replacements: [name] },
        );
    }
    this.loops = Promise.all([
      ...(this.alone ? [] : [this.keepLeases()]),
      ...jobs.map((job) => this.perform(job)),
    ]);
  }

  /** Lets the runs under way end, and gives the leases up. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.race([this.loops, pause(STOP_MS, undefined, { ref: false })]);
    if (this.alone) return;
    const { database, worker } = this.options;
    await database
      .query('UPDATE lease SET `until` = NOW(3) WHERE owner = ?', { replacements: [worker] })
      .catch(() => undefined);
  }

  private async perform(job: LeaderJob): Promise<void> {
    for (let failures = 0; !this.stopping.signal.aborted;) {
      let more = false;
      try {
        more = this.holds(job) && (await job.run());
        failures = 0;
      } catch (error) {
        failures += 1;
        this.options.logger.warn({ err: error, job: job.name, failures }, 'leader job failed');
      }
      // Others get a turn even without a pause: in SQLite, nothing in a run need ever wait.
      if (more) await new Promise(setImmediate);
      else await this.rest(Math.max(job.everyMs, failures && retryPauseMs(failures)));
    }
  }

  private holds({ name }: LeaderJob): boolean {
    return this.alone || performance.now() < (this.ends.get(name) ?? 0);
  }

  private async keepLeases(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await this.renew().catch((error: unknown) => {
        this.options.logger.warn({ err: error }, 'leases not renewed');
      });
      await this.rest(RENEW_MS);
    }
  }

  /** Renews all leases in one transaction, because each transaction flushes the database's log. */
  private async renew(): Promise<void> {
    const { database, worker, logger, jobs } = this.options;
    const names = jobs.map(({ name }) => name);
    const which = `name IN (${placeholders(names.length)})`;
    const asked = performance.now();
    const [, found] = await atOnce(database, [
      {
        sql: `UPDATE lease SET owner = ?, \`until\` = NOW(3) + INTERVAL ${JOB_LEASE_S} SECOND WHERE ${which} AND (owner = ? OR \`until\` <= NOW(3))`,
        values: [worker, ...names, worker],
      },
      { sql: `SELECT name FROM lease WHERE ${which} AND owner = ?`, values: [...names, worker] },
    ]);
    const got = new Set(found?.rows.map(({ name }) => name));
    for (const job of jobs) {
      if (got.has(job.name) && !this.holds(job))
        logger.info({ job: job.name }, 'leader job taken over');
      this.ends.set(job.name, got.has(job.name) ? asked + JOB_LEASE_S * 1000 : 0);
    }
  }

  /** Pauses; `stop` ends it early. */
  private async rest(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}
