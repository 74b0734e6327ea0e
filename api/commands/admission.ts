import type { Envelope, Outcome } from '../../shared/command';
import type { Logger } from '../../shared/logger';
import { NotAccepted, type CommandSender, type QueueState } from '../../shared/messaging/transport';
import { SMALL_BYTES } from '../http/body-bytes';
import { commandsRefused, commandsUnderWay } from '../metrics';
import { PartitionLoad } from './partition-load';
import { Shares } from './shares';

/**
 * Refuses commands before their queue is longer than is useful: a refusal is fast then, and a
 * promise is soon kept.
 *
 * For each partition it is counted how many commands this process has sent that are not answered
 * yet, whether somebody waits for them or not, and how many are answered in a second; as many are
 * let in as are answered in a useful time. Both numbers are what this process sees by itself: with
 * several APIs each compares its share of the queue with its share of the rate, and the wait is the
 * same for all. A limit that feels its way along the latency (AIMD, gradient) would have to know
 * the latency without load, and here batches make latency and throughput grow together.
 *
 * Large commands are counted by their bytes as well, so that few of them fill the memory of nobody;
 * small ones are not refused for that. And nobody has more than a share under way while others want
 * something, too: see `shares.ts`.
 *
 * A reply ends the count of a command. Replies can be lost, and none is sent for what ended too
 * late. A partition is a queue, so the reply to a later command stands for those before it; and
 * where none comes for a while the queue itself is asked: when nothing waits in it any more, the
 * rest is in the hands of a worker, and that is bounded.
 */

/** Most commands under way of one process, in all partitions. */
export const UNDER_WAY_MAX = 20_000;
/**
 * Most bytes of large commands under way of one process, as a multiple of what one partition may
 * have.
 */
const PARTITIONS_WITH_MOST = 8;
/** How often rates are measured and lost replies made up for, milliseconds. */
const LOOK_MS = 1000;
/**
 * How long a partition may send no reply, though commands of it are under way for as long, before
 * its queue is asked, milliseconds.
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
    // The same command again, because nobody knows whether it is stored, is counted already.
    const admitted = this.commands.has(commandId) ? null : await this.admitInTurn(envelope, client);
    try {
      await this.sender.send(envelope);
    } catch (error) {
      if (admitted && error instanceof NotAccepted) this.forget(commandId, admitted, false);
      throw error;
    }
  }

  /**
   * For what has to be written down before the command is sent.
   * @throws NotAccepted when the command would not be taken now.
   */
  mustHaveRoom(command: Pick<Envelope, 'type' | 'key' | 'payload'>): void {
    this.roomFor(command);
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
      this.logger.info({ partition: load.name }, 'commands are taken again');
    }
    this.lookedAt = now;
    void this.ask(late);
  }

  /** Asks the queues of partitions from which a reply is late. */
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
      // The broker is away; it is asked again at the next look.
      this.logger.debug({ err: error }, 'queues not asked');
    } finally {
      this.asking = false;
    }
  }
}

/** The bytes of a command that is large, else 0. */
function largeBytesOf({ payload }: Pick<Envelope, 'payload'>): number {
  const bytes = Buffer.byteLength(JSON.stringify(payload));
  return bytes > SMALL_BYTES ? bytes : 0;
}
