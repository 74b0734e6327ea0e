import { setTimeout as pause } from 'node:timers/promises';
import { Op } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import type { Envelope } from '../../shared/command';
import { OutgoingCommand } from '../../shared/database/tables';
import type { Logger } from '../../shared/logger';
import type { WorkerLink } from '../../shared/messaging/transport';
import { groupBy } from '../batch/group';
import type { LeaderJob } from '../jobs/leader-jobs';

/**
 * Publishes commands from a table: forwarded commands and replayed dead letters.
 * They are stored in the transaction of their decision, so no batch waits for the broker, and a
 * forwarded command can be acknowledged at once. A worker publishes what its own batches stored. A
 * leader job publishes the rest.
 * A command may be published twice, which is harmless. Its first copy is in order, because a row is
 * published only after the broker confirmed the row before it.
 * States: idle; passing (rows are published, and a nudge adds another pass); stopped.
 */

/** How often rows of other workers are looked for, milliseconds. */
const EVERY_MS = 500;
/** Rows that are published at a time. */
const PAGE_LENGTH = 200;
/**
 * Most rows: as many as fit into one partition. Beyond that, commands that would have to be
 * forwarded are refused.
 */
const ROWS_MAX = 100_000;

export interface OutgoingOptions {
  readonly database: Sequelize;
  readonly link: Pick<WorkerLink, 'forward' | 'partitionFor'>;
  readonly logger: Logger;
}

export class Outgoing {
  /** Whether the table is full, so that nothing may be added. */
  full = false;
  private running: Promise<void> | null = null;
  private again = false;
  private stopped = false;
  readonly job: LeaderJob = {
    name: 'outgoing-commands',
    everyMs: EVERY_MS,
    run: async () => {
      this.nudge();
      await this.running;
      return false;
    },
  };

  constructor(private readonly options: OutgoingOptions) {}

  nudge(): void {
    this.again = true;
    if (!this.stopped) this.running ??= this.run();
  }

  /** Resolves when no pass is under way. */
  async settled(): Promise<void> {
    await this.running;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  private async run(): Promise<void> {
    // One turn of the event loop, so that the caller continues first.
    await pause(0);
    while (this.again && !this.stopped) {
      this.again = false;
      await this.pass().catch((error: unknown) => {
        this.options.logger.warn({ err: error }, 'commands not published yet');
      });
    }
    this.running = null;
  }

  /**
   * Publishes all rows once, in order. The rest of a queue that is full is left for the next pass.
   */
  private async pass(): Promise<void> {
    const closed = new Set<string>();
    let last = 0;
    let left = 0;
    for (let found = PAGE_LENGTH; found === PAGE_LENGTH && !this.stopped;) {
      const rows = await OutgoingCommand.findAll({
        where: { seq: { [Op.gt]: last } },
        order: ['seq'],
        limit: PAGE_LENGTH,
        raw: true,
      });
      found = rows.length;
      last = rows.at(-1)?.seq ?? last;
      const sent = await this.publish(rows, closed);
      // In a transaction, because in SQLite transactions take turns.
      if (sent.length > 0)
        await this.options.database.transaction((transaction) =>
          OutgoingCommand.destroy({ where: { seq: sent }, transaction }),
        );
      left += rows.length - sent.length;
    }
    this.full = left >= ROWS_MAX;
  }

  /**
   * Returns the numbers of the rows that are in their queues now. Rows of one key are published one
   * by one, and different keys in parallel.
   */
  private async publish(rows: readonly OutgoingCommand[], closed: Set<string>): Promise<number[]> {
    const sent: number[] = [];
    // Not checked again, because the writer of the row had read the command.
    const commands = rows.map(({ seq, envelope }) => ({
      seq,
      envelope: JSON.parse(envelope) as Envelope,
    }));
    const byKey = [...groupBy(commands, ({ envelope }) => envelope.key).values()];
    await Promise.all(
      byKey.map(async (group) => {
        for (const { seq, envelope } of group) {
          const queue = this.options.link.partitionFor(envelope);
          if (closed.has(queue)) return;
          try {
            await this.options.link.forward(envelope);
            sent.push(seq);
          } catch (error) {
            this.options.logger.warn(
              { err: error, queue, commandId: envelope.commandId },
              'command not published yet',
            );
            closed.add(queue);
          }
        }
      }),
    );
    return sent;
  }
}
