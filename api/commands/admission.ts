import type { Envelope, Outcome } from '../../shared/command';
import type { Logger } from '../../shared/logger';
import { NotAccepted, type CommandSender, type QueueState } from '../../shared/messaging/transport';
import { commandsRefused, commandsUnderWay } from '../metrics';
import { largeBytesOf, PartitionLoad } from './partition-load';
import { Shares } from './shares';

/**
 * Refuses commands before their queue is longer than is useful, so that refusals and promises are
 * both quick. It lets in as many as its partition answers in a useful time.
 *
 * Each API counts what it has sent, and how much of it is answered in a second. With several APIs,
 * each compares its share of the queue with its share of the rate. A limit that follows the latency
 * (AIMD, gradient) does not fit, because batches make latency and throughput grow together.
 *
 * Bytes are limited as well, and the share of one client (`shares.ts`). A reply ends the count of
 * its command and of those before it. When no reply comes for a while, the queue itself is asked.
 */

/** Most commands under way of one process, in all partitions. */
export const UNDER_WAY_MAX = 20_000;
/**
 * Most bytes of large commands under way of one process, as a multiple of what one partition may
 * have.
 */
const PARTITIONS_WITH_MOST = 8;
/** How often rates are measured and lost replies detected, milliseconds. */
const LOOK_MS = 1000;
/**
 * How long a partition with commands under way may stay without a reply before its queue is read,
 * milliseconds.
 */
const LATE_MS = 2000;

interface UnderWay {
  readonly load: PartitionLoad;
  readonly place: number;
  readonly since: number;
  /** Of a large command; 0 for a small one. */
  readonly bytes: number;
  readonly client: string | null;
}

export interface AdmissionOptions {
  /** Most bytes of large commands under way in one partition. */
  readonly queueBytesMax: number;
}

export class Admission implements CommandSender {
  readonly replyTo: string;
  private readonly loads = new Map<string, PartitionLoad>();
  /** By command id, in the order of sending. */
  private readonly commands = new Map<string, UnderWay>();
  private readonly shares = new Shares();
  private bytesUnderWay = 0;
  private readonly timer: NodeJS.Timeout;
  private lookedAt = performance.now();
  private asking = false;

  constructor(
    private readonly sender: CommandSender,
    private readonly logger: Logger,
    private readonly options: AdmissionOptions,
  ) {
    this.replyTo = sender.replyTo;
    this.onReply(({ commandId }) => {
      const command = this.commands.get(commandId);
      if (!command) return;
      command.load.reply(command.place);
      this.forget(commandId, command, true);
    });
    this.timer = setInterval(() => {
      this.look();
    }, LOOK_MS);
    this.timer.unref();
  }

  /**
   * @param client whose share it belongs to; null for what the API sends by itself.
   * @throws Problem RATE_LIMITED when too many of the client wait for their turn, besides what
   * senders throw.
   */
  async send(envelope: Envelope, client: string | null = null): Promise<void> {
    const { commandId } = envelope;
    // A command that is sent again, because nobody knows whether it is stored, is counted already.
    const admitted = this.commands.has(commandId) ? null : await this.admitInTurn(envelope, client);
    try {
      await this.sender.send(envelope);
    } catch (error) {
      if (admitted && error instanceof NotAccepted) this.forget(commandId, admitted, false);
      throw error;
    }
  }

  /**
   * Checks before anything is stored for the commands.
   * @throws NotAccepted when one of the commands would not be accepted now.
   */
  mustHaveRoom(...commands: readonly Pick<Envelope, 'type' | 'key' | 'payload'>[]): void {
    for (const command of commands) {
      const { load } = this.roomFor(command);
      if (this.commands.size + commands.length > UNDER_WAY_MAX) throw this.refusal(load);
    }
  }

  partitionFor(command: Pick<Envelope, 'type' | 'key'>): string {
    return this.sender.partitionFor(command);
  }

  waiting(partition: string): Promise<QueueState> {
    return this.sender.waiting(partition);
  }

  onReply(listener: (outcome: Outcome) => void): void {
    this.sender.onReply(listener);
  }

  ready(): boolean {
    return this.commands.size < UNDER_WAY_MAX && this.sender.ready();
  }

  fault(): string | null {
    return this.sender.fault();
  }

  /** Stops measuring. */
  close(): void {
    clearInterval(this.timer);
  }

  private async admitInTurn(envelope: Envelope, client: string | null): Promise<UnderWay | null> {
    if (client === null) return this.admit(envelope, client);
    await this.shares.enter(client);
    // While it waited, the same command may have come again and begun.
    if (this.commands.has(envelope.commandId)) {
      this.shares.leave(client);
      return null;
    }
    try {
      return this.admit(envelope, client);
    } catch (error) {
      this.shares.leave(client);
      throw error;
    }
  }

  private admit(envelope: Envelope, client: string | null): UnderWay {
    const { load, bytes } = this.roomFor(envelope);
    const command = { load, place: load.enter(bytes), since: performance.now(), bytes, client };
    this.bytesUnderWay += bytes;
    this.commands.set(envelope.commandId, command);
    return command;
  }

  /**
   * The partition of a command, and the bytes that it takes there. @throws NotAccepted when there
   * is no room.
   */
  private roomFor(
    command: Pick<Envelope, 'type' | 'key' | 'payload'>,
  ): Pick<UnderWay, 'load' | 'bytes'> {
    const load = this.loadOf(this.partitionFor(command));
    const bytes = largeBytesOf(command);
    if (this.isFull(load, bytes)) throw this.refusal(load);
    return { load, bytes };
  }

  private loadOf(partition: string): PartitionLoad {
    const load = this.loads.get(partition) ?? new PartitionLoad(partition);
    this.loads.set(partition, load);
    return load;
  }

  private isFull(load: PartitionLoad, bytes: number): boolean {
    if (load.full || this.commands.size >= UNDER_WAY_MAX) return true;
    const { queueBytesMax } = this.options;
    return (
      bytes > 0 &&
      (load.bytesUnderWay + bytes > queueBytesMax ||
        this.bytesUnderWay + bytes > queueBytesMax * PARTITIONS_WITH_MOST)
    );
  }

  /**
   * An overload is logged when it begins, and not for each of the many commands that are then
   * refused.
   */
  private refusal(load: PartitionLoad): NotAccepted {
    const { name, underWay, bytesUnderWay: largeBytes, rate } = load;
    const inAll = this.commands.size;
    if (load.refusedAt === null)
      this.logger.warn(
        { partition: name, underWay, inAll, largeBytes, perSecond: rate },
        'commands are refused: too many are under way',
      );
    load.refusedAt = performance.now();
    commandsRefused.inc({ partition: name });
    return new NotAccepted(`${underWay} commands of ${name}, ${inAll} in all, are under way`, {
      retryAfterS: load.retryAfterS(),
    });
  }

  private forget(commandId: string, { load, bytes, client }: UnderWay, ended: boolean): void {
    if (!this.commands.delete(commandId)) return;
    load.leave(bytes, ended);
    this.bytesUnderWay -= bytes;
    if (client !== null) this.shares.leave(client);
  }

  private look(): void {
    const now = performance.now();
    const late = new Set<PartitionLoad>();
    commandsUnderWay.set(this.commands.size);
    for (const [commandId, command] of this.commands) {
      const { load, place, since } = command;
      if (load.isOvertaken(place)) this.forget(commandId, command, true);
      else if (Math.max(since, load.repliedAt) < now - LATE_MS) late.add(load);
    }
    for (const load of this.loads.values()) {
      load.measure(Math.max(now - this.lookedAt, 1) / 1000);
      if (load.refusedAt === null || load.refusedAt >= this.lookedAt) continue;
      load.refusedAt = null;
      this.logger.info({ partition: load.name }, 'commands are accepted again');
    }
    this.lookedAt = now;
    void this.ask(late);
  }

  /** Reads the queues of partitions whose reply is late. */
  private async ask(late: ReadonlySet<PartitionLoad>): Promise<void> {
    if (this.asking || late.size === 0) return;
    this.asking = true;
    try {
      for (const load of late) {
        const before = performance.now() - LATE_MS;
        if ((await this.sender.waiting(load.name)).commands > 0) continue;
        for (const [commandId, command] of this.commands)
          if (command.load === load && command.since < before)
            this.forget(commandId, command, true);
      }
    } catch (error) {
      // The broker is unavailable; it is asked again at the next look.
      this.logger.debug({ err: error }, 'queues not read');
    } finally {
      this.asking = false;
    }
  }
}
