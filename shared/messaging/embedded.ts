import { Op } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import type { Envelope, Outcome } from '../command';
import { storageFault } from '../database/connect';
import { isCertainlyNotCommitted } from '../database/sqlite-errors';
import { PendingCommand, Setting } from '../database/tables';
import type { Logger } from '../logger';
import type { Services } from '../service';
import { EmbeddedPartitions, type Consumer } from './embedded-partitions';
import { encodeEnvelope } from './envelope';
import { partitionFor, type Layout } from './topology';
import {
  AcceptanceUnknown,
  NotAccepted,
  type CommandSender,
  type EventListener,
  type EventMessage,
  type EventSource,
  type QueueState,
  type WorkerLink,
} from './transport';

/**
 * The command log of the embedded default: both halves of the transport over one table.
 * A command is stored before it is promised, and removed after its outcome was committed. After a
 * crash it is delivered again, and its stored outcome makes that harmless. Each start first counts
 * one redelivery in the rows, so that a command that ends the process is found.
 * Commands of the same moment share one transaction. The next one also removes finished rows, which
 * saves a flush of the disk for each batch.
 */

/** Most commands that may wait. Further commands are refused. */
const PENDING_MAX = 100_000;
/** How long finished rows may stay when nothing else is written, milliseconds. */
const CLEANUP_DELAY_MS = 100;
/** How often a write is tried while the database cannot be written, milliseconds. */
const PROBE_MS = 500;
/** When a client may retry after the database could not be written, seconds. */
const RETRY_AFTER_S = 2;
/** Most rows in one INSERT or DELETE, for SQLite's limit of bound values. */
const ROWS_PER_WRITE = 5000;

interface Waiting {
  readonly partition: string;
  readonly content: string;
  readonly stored: () => void;
  readonly failed: (error: Error) => void;
}

export class EmbeddedLog implements CommandSender, WorkerLink, EventSource {
  readonly replyTo = 'embedded';
  private readonly listeners: ((outcome: Outcome) => void)[] = [];
  private readonly eventListeners = new Set<EventListener>();
  /** Null until the log is read. */
  private partitions: EmbeddedPartitions | null = null;
  private appending: Waiting[] = [];
  private done: number[] = [];
  private nextSeq = 1;
  private pendingCount = 0;
  private writing: Promise<void> | null = null;
  private cleanup: NodeJS.Timeout | null = null;
  private probe: NodeJS.Timeout | null = null;

  constructor(
    private readonly database: Sequelize,
    private readonly layout: Layout,
    private readonly decode: Services['decode'],
    private readonly logger: Logger,
  ) {}

  /**
   * Starts delivering to `consumer`, beginning with what an earlier process left. Returns how many
   * commands those were.
   */
  async consume(consumer: Consumer): Promise<number> {
    await PendingCommand.increment('redeliveries', { where: {} });
    const rows = await PendingCommand.findAll({ order: ['seq'], raw: true });
    this.partitions = new EmbeddedPartitions(this.decode, consumer, (seqs) => {
      this.remove(seqs);
    });
    this.pendingCount += rows.length;
    for (const { seq, partitionName: name, envelope, redeliveries } of rows) {
      this.nextSeq = seq + 1;
      this.partitions.deliver(name, { seq, body: Buffer.from(envelope), redeliveries });
    }
    return rows.length;
  }

  send(envelope: Envelope): Promise<void> {
    const fault = this.fault();
    if (fault !== null)
      return Promise.reject(new NotAccepted(fault, { retryAfterS: RETRY_AFTER_S }));
    if (this.pendingCount >= PENDING_MAX)
      return Promise.reject(new NotAccepted(`${PENDING_MAX} commands wait already`));
    return this.append(this.partitionFor(envelope), encodeEnvelope(envelope));
  }

  /**
   * Works even when the log is full: the command stands for one that already waits and cannot be
   * acknowledged before.
   */
  forward(envelope: Envelope): Promise<void> {
    return this.append(this.partitionFor(envelope), encodeEnvelope(envelope));
  }

  partitionFor(command: Pick<Envelope, 'type' | 'key'>): string {
    return partitionFor(command, this.layout);
  }

  waiting(partition: string): Promise<QueueState> {
    return Promise.resolve(this.partitions?.state(partition) ?? { commands: 0, oldestAt: null });
  }

  onReply(listener: (outcome: Outcome) => void): void {
    this.listeners.push(listener);
  }

  reply(_replyTo: string, outcomes: readonly Outcome[]): void {
    for (const outcome of outcomes) for (const listener of this.listeners) listener(outcome);
  }

  async publishEvents(events: readonly EventMessage[]): Promise<void> {
    for (const event of events) {
      if (this.eventListeners.size === 0) return;
      for (const listener of this.eventListeners) listener.take(event);
      // Gives streams a chance to send between two events. Otherwise a burst would look like a slow
      // reader.
      await new Promise(setImmediate);
    }
  }

  subscribe(listener: EventListener): Promise<() => void> {
    this.eventListeners.add(listener);
    return Promise.resolve(() => {
      this.eventListeners.delete(listener);
    });
  }

  ready(): boolean {
    return this.partitions !== null && this.pendingCount < PENDING_MAX && this.fault() === null;
  }

  /**
   * Returns why nothing can be stored, for people. From then on, writes are tried until one
   * succeeds.
   */
  fault(): string | null {
    const fault = storageFault(this.database);
    if (fault === null) return null;
    this.probe ??= setTimeout(() => void this.tryToWrite(), PROBE_MS).unref();
    return `The database cannot be written (${fault}).`;
  }

  /** Removes finished rows, so that the next start has nothing to look through. */
  async close(): Promise<void> {
    if (this.cleanup) clearTimeout(this.cleanup);
    if (this.probe) clearTimeout(this.probe);
    await this.writing;
    if (this.done.length > 0) await this.write();
  }

  private append(partition: string, content: string): Promise<void> {
    // Only then is it known which numbers are taken.
    if (!this.partitions) return Promise.reject(new NotAccepted('the command log is not read yet'));
    this.pendingCount += 1;
    return new Promise((stored, failed) => {
      this.appending.push({ partition, content, stored, failed });
      this.startWriting();
    });
  }

  private startWriting(): void {
    this.writing ??= this.writeAll();
  }

  private async writeAll(): Promise<void> {
    // One turn of the event loop, so that commands of the same moment share the transaction.
    await new Promise(setImmediate);
    do await this.write();
    while (this.appending.length > 0);
    // In the same turn as the last look: a command that is appended later must find nobody writing,
    // or nobody would write it.
    this.writing = null;
  }

  /** Tries a write, because the driver remembers a fault until a transaction is stored. */
  private async tryToWrite(): Promise<void> {
    await this.database
      .transaction((transaction) =>
        Setting.upsert({ name: 'last_probe', value: new Date().toISOString() }, { transaction }),
      )
      .catch(() => undefined);
    this.probe = null;
    this.fault();
  }

  private async write(): Promise<void> {
    const batch = this.appending.splice(0, ROWS_PER_WRITE);
    const done = this.done.splice(0, ROWS_PER_WRITE);
    const rows = batch.map(({ partition, content }) => ({
      seq: this.nextSeq++,
      partitionName: partition,
      envelope: content,
    }));
    const stage = { committing: false };
    try {
      await this.database.transaction(async (transaction) => {
        if (done.length > 0)
          await PendingCommand.destroy({ where: { seq: { [Op.in]: done } }, transaction });
        if (rows.length > 0) await PendingCommand.bulkCreate(rows, { transaction });
        stage.committing = true;
      });
    } catch (error) {
      this.done.push(...done);
      this.pendingCount -= batch.length;
      this.logger.error({ err: error }, 'command log not written');
      const refused = !stage.committing || isCertainlyNotCommitted(error);
      const failure = refused
        ? this.notAccepted(error)
        : new AcceptanceUnknown('the command log may not be written', { cause: error });
      for (const { failed } of batch) failed(failure);
      return;
    }
    rows.forEach(({ seq, partitionName: name, envelope }, index) => {
      batch[index]?.stored();
      this.partitions?.deliver(name, { seq, body: Buffer.from(envelope), redeliveries: 0 });
    });
  }

  private notAccepted(cause: unknown): NotAccepted {
    return new NotAccepted(this.fault() ?? 'the command log could not be written', {
      cause,
      retryAfterS: RETRY_AFTER_S,
    });
  }

  /** Removes finished rows soon, unless the next write does. */
  private remove(seqs: readonly number[]): void {
    this.done.push(...seqs);
    this.pendingCount -= seqs.length;
    this.cleanup ??= setTimeout(() => {
      this.cleanup = null;
      if (this.done.length > 0) this.startWriting();
    }, CLEANUP_DELAY_MS);
  }
}
