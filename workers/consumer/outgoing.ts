import { setTimeout as pause } from 'node:timers/promises';
import { Op } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import type { Envelope } from '../../shared/command';
import { OutgoingCommand } from '../../shared/database/tables';
import type { Logger } from '../../shared/logger';
import type { WorkerLink } from '../../shared/messaging/transport';
import { groupBy } from '../batch/group';
import type { Duty } from '../duties/duties';

/**
 * Brings commands from a table into their queues: those that a batch forwards, and the dead letters
 * that an operator replays. Both are written as rows in the transaction that decides so, and from
 * then on nobody need wait for the broker: a queue that is full, or a broker that is away, holds up
 * only what is meant for it, and not the lane of the worker that has to empty that queue. A
 * forwarded command can be acknowledged at once, because the row keeps it.
 *
 * A worker publishes at once what its own batches have written; a duty looks for the rest: an
 * operator's replay, and what a queue did not take, or a worker that died. So a command may be
 * published twice, which is harmless, as its id is carried out once; and the first copies of an
 * aggregate's commands stand in their queue in the order of the rows, because whoever publishes a
 * row has had the one before it confirmed, by himself or by the one who took it away.
 *
 * States: idle; passing (rows are published, page by page; a nudge meanwhile makes another pass
 * follow); stopped.
 */

/** How often it is looked for rows of others, milliseconds. */
const EVERY_MS = 500;
/** Rows that are published at a time. */
const PAGE_LENGTH = 200;
/**
 * Most rows; beyond it commands that would have to be forwarded are refused. As many as fit into
 * one partition.
 */
const ROWS_MAX = 100_000;

export interface OutgoingOptions {
  readonly database: Sequelize;
  readonly link: Pick<WorkerLink, 'forward' | 'partitionFor'>;
  readonly logger: Logger;
}

export class Outgoing {
  /** Whether there are so many rows that no more may be added. */
  full = false;
  private running: Promise<void> | null = null;
  private again = false;
  private stopped = false;
  readonly duty: Duty = {
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
    // One turn of the event loop, so that whoever nudges goes on first.
    await pause(0);
    while (this.again && !this.stopped) {
      this.again = false;
      await this.pass().catch((error: unknown) => {
        this.options.logger.warn({ err: error }, 'commands not brought to their queues yet');
      });
    }
    this.running = null;
  }

  /** All rows once, in order; of a queue that takes no more, the rest is left for the next pass. */
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
      // In a transaction, because in SQLite those take turns.
      if (sent.length > 0)
        await this.options.database.transaction((transaction) =>
          OutgoingCommand.destroy({ where: { seq: sent }, transaction }),
        );
      left += rows.length - sent.length;
    }
    this.full = left >= ROWS_MAX;
  }

  /**
   * The numbers of the rows that are in their queues now. Those of one key go one after the other,
   * the keys side by side.
   */
  private async publish(rows: readonly OutgoingCommand[], closed: Set<string>): Promise<number[]> {
    const sent: number[] = [];
    // Not checked again: whoever wrote the row had read the command.
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
              'command not brought to its queue yet',
            );
            closed.add(queue);
          }
        }
      }),
    );
    return sent;
  }
}
