import type { Sequelize } from 'sequelize-typescript';
import { QueryTypes } from 'sequelize';
import type { Envelope, Outcome } from '../../shared/command';
import type { Now } from '../../shared/database/clock';
import type { Logger } from '../../shared/logger';
import { commandTimelinesDropped } from '../metrics';

/**
 * Stores the part of a command's timeline that only this process knows: when the broker confirmed
 * it, when its worker committed it, and when its client was answered. No request waits for that.
 * Once a second, one statement stores many timelines, and those that it cannot store are dropped
 * and counted.
 */

/** How often timelines are stored, milliseconds. */
const WRITE_MS = 1000;
/** Most timelines that wait to be stored; more are dropped. */
const GATHERED_MAX = 20_000;
/** Most commands in one statement. */
const ROWS_PER_STATEMENT = 1000;

/**
 * Instants in milliseconds since 1970; null for what is not known. The confirm may come after the
 * answer: a timeline that still waits for it is written a second later than others.
 */
export interface Timeline {
  readonly commandId: string;
  readonly createdAt: number;
  awaitsConfirm: boolean;
  confirmedAt: number | null;
  committedAt: number | null;
  answeredAt: number | null;
}

export class Timelines {
  private gathered: Timeline[] = [];
  /** Are written next time, confirmed or not. */
  private late: Timeline[] = [];
  private writing: Promise<void> | null = null;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly database: Sequelize,
    private readonly now: Now,
    private readonly logger: Logger,
    /** Of this process. */
    private readonly api: string,
  ) {
    this.timer = setInterval(() => void this.write(), WRITE_MS);
    this.timer.unref();
  }

  /** Begins the timeline of a command that is about to be published. */
  begin({ commandId, createdAt }: Envelope, confirmed: Promise<void>): Timeline {
    const timeline: Timeline = {
      commandId,
      createdAt,
      awaitsConfirm: true,
      confirmedAt: null,
      committedAt: null,
      answeredAt: null,
    };
    confirmed
      .then(
        () => {
          timeline.confirmedAt = this.now().getTime();
        },
        () => undefined,
      )
      .finally(() => {
        timeline.awaitsConfirm = false;
      });
    return timeline;
  }

  /**
   * The command is about to be answered, with its outcome or, when that is null, with a promise.
   */
  end(timeline: Timeline, outcome: Outcome | null): void {
    if (outcome) {
      timeline.committedAt = outcome.committedAt ?? null;
      // The worker's clock may be a little ahead of ours.
      timeline.answeredAt = Math.max(this.now().getTime(), outcome.committedAt ?? 0);
    }
    if (this.gathered.length < GATHERED_MAX) this.gathered.push(timeline);
    else commandTimelinesDropped.inc();
  }

  /** Stores the timelines that wait. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.writing;
    await this.write();
    await this.write();
  }

  private write(): Promise<void> {
    // A database that hangs is not given more meanwhile.
    this.writing ??= this.writeAll(this.take()).finally(() => {
      this.writing = null;
    });
    return this.writing;
  }

  private take(): Timeline[] {
    const taken = this.late.splice(0);
    for (const timeline of this.gathered.splice(0))
      (timeline.awaitsConfirm ? this.late : taken).push(timeline);
    return taken;
  }

  private async writeAll(timelines: readonly Timeline[]): Promise<void> {
    for (let start = 0; start < timelines.length; start += ROWS_PER_STATEMENT) {
      const part = timelines.slice(start, start + ROWS_PER_STATEMENT);
      try {
        await this.insert(part);
      } catch (error) {
        commandTimelinesDropped.inc(timelines.length - start);
        this.logger.warn(
          { err: error, commands: timelines.length - start },
          'timelines of commands not written',
        );
        return;
      }
    }
  }

  /** A timeline that is stored already, because the command was sent again, stays as it is. */
  private async insert(timelines: readonly Timeline[]): Promise<void> {
    const ignore = this.database.getDialect() === 'sqlite' ? 'OR IGNORE' : 'IGNORE';
    const sql = `INSERT ${ignore} INTO command_way (command_id, confirmed_ms, committed_ms, answered_ms, api) VALUES ${timelines.map(() => '(?, ?, ?, ?, ?)').join(', ')}`;
    const replacements = timelines.flatMap(
      ({ commandId, createdAt, confirmedAt, committedAt, answeredAt }) => [
        commandId,
        ...[confirmedAt, committedAt, answeredAt].map((at) => at && Math.max(0, at - createdAt)),
        this.api,
      ],
    );
    // In a transaction, because in SQLite those take turns.
    await this.database.transaction((transaction) =>
      this.database.query(sql, { replacements, type: QueryTypes.INSERT, transaction }),
    );
  }
}
