import type { Sequelize } from 'sequelize-typescript';
import { QueryTypes } from 'sequelize';
import type { Envelope, Outcome } from '../../shared/command';
import type { Now } from '../../shared/database/clock';
import type { Logger } from '../../shared/logger';
import { commandWaysDropped } from '../metrics';

/**
 * Writes down what only this process knows of a command's way: when the broker confirmed it, when
 * its worker said that it was committed, and when its client was answered. It is for people who
 * look afterwards, and nobody waits for it: many commands share one statement, about once a second,
 * and what cannot be written is dropped and counted. A command that nobody waited for to its end
 * has no answer here.
 */

/** How often what has gathered is written, milliseconds. */
const WRITE_MS = 1000;
/** Most commands that wait to be written; more are dropped. */
const GATHERED_MAX = 20_000;
/** Most commands in one statement. */
const ROWS_PER_STATEMENT = 1000;

/**
 * Instants in milliseconds since 1970; null for what is not known. The confirm may come after the
 * answer, and still be noted until it is written.
 */
export interface Way {
  readonly commandId: string;
  readonly createdAt: number;
  confirmedAt: number | null;
  committedAt: number | null;
  answeredAt: number | null;
}

export class Ways {
  private gathered: Way[] = [];
  private writing: Promise<void> | null = null;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly database: Sequelize,
    private readonly now: Now,
    private readonly logger: Logger,
  ) {
    this.timer = setInterval(() => void this.write(), WRITE_MS);
    this.timer.unref();
  }

  /** The way of a command that is about to be published; `confirmed` tells it so. */
  begin({ commandId, createdAt }: Envelope, confirmed: Promise<void>): Way {
    const way: Way = {
      commandId,
      createdAt,
      confirmedAt: null,
      committedAt: null,
      answeredAt: null,
    };
    const note = () => {
      way.confirmedAt = this.now().getTime();
    };
    confirmed.then(note, () => undefined);
    return way;
  }

  /**
   * The command is about to be answered, with its outcome or, when that is null, with a promise.
   */
  end(way: Way, outcome: Outcome | null): void {
    if (outcome) {
      way.committedAt = outcome.committedAt ?? null;
      // The worker's clock may be a little ahead of ours.
      way.answeredAt = Math.max(this.now().getTime(), outcome.committedAt ?? 0);
    }
    if (this.gathered.length < GATHERED_MAX) this.gathered.push(way);
    else commandWaysDropped.inc();
  }

  /** Writes what has gathered. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.writing;
    await this.write();
  }

  private write(): Promise<void> {
    // A database that hangs is not given more meanwhile.
    this.writing ??= this.writeAll(this.gathered.splice(0)).finally(() => {
      this.writing = null;
    });
    return this.writing;
  }

  private async writeAll(ways: readonly Way[]): Promise<void> {
    for (let start = 0; start < ways.length; start += ROWS_PER_STATEMENT) {
      const part = ways.slice(start, start + ROWS_PER_STATEMENT);
      try {
        await this.insert(part);
      } catch (error) {
        commandWaysDropped.inc(ways.length - start);
        this.logger.warn(
          { err: error, commands: ways.length - start },
          'ways of commands not written',
        );
        return;
      }
    }
  }

  /** One that was written before, because the same command was sent again, stays as it is. */
  private async insert(ways: readonly Way[]): Promise<void> {
    const ignore = this.database.getDialect() === 'sqlite' ? 'OR IGNORE' : 'IGNORE';
    const sql = `INSERT ${ignore} INTO command_way (command_id, confirmed_ms, committed_ms, answered_ms) VALUES ${ways.map(() => '(?, ?, ?, ?)').join(', ')}`;
    const replacements = ways.flatMap(
      ({ commandId, createdAt, confirmedAt, committedAt, answeredAt }) => [
        commandId,
        ...[confirmedAt, committedAt, answeredAt].map((at) => at && Math.max(0, at - createdAt)),
      ],
    );
    // In a transaction, because in SQLite those take turns.
    await this.database.transaction((transaction) =>
      this.database.query(sql, { replacements, type: QueryTypes.INSERT, transaction }),
    );
  }
}
