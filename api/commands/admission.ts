import type { Envelope, Outcome } from '../../shared/command';
import type { Logger } from '../../shared/logger';
import { NotAccepted, type CommandSender } from '../../shared/messaging/transport';
import { REPLY_USEFUL_MS } from './send';

/**
 * Refuses commands before their queue is longer than is useful: a refusal is fast then, and a promise is soon kept.
 *
 * For each partition it is counted how many commands this process has sent that are not answered yet, whether somebody
 * waits for them or not. By Little's law the last of them is answered after their number divided by the rate of the
 * answers; so as many are let in as are answered in USEFUL_WAIT_MS. Both numbers are what this process sees by itself:
 * with several APIs each compares its share of the queue with its share of the rate, and the wait is the same for all.
 * A limit that feels its way along the latency (AIMD, gradient) would have to know the latency without load, and here
 * batches make latency and throughput grow together.
 *
 * Below UNDER_WAY_MIN nothing is refused: a partition that stood still shows no rate, a burst must not be taken for
 * an overload, and while MySQL is away so many commands may wait for it.
 *
 * A reply ends the count of a command. Replies can be lost, and none is sent for what ended too late. A partition is a
 * queue, so the reply to a later command stands for those before it; and where none comes for so long that none will
 * be sent any more, the queue itself is asked, and when it is empty nothing is under way.
 */

/** How long a command may wait for its turn, milliseconds: half of the time that a client waits for its answer. */
const USEFUL_WAIT_MS = 5000;
/** Commands of one partition that are always let in: a multiple of the clients that may want the same title at the same time. */
export const UNDER_WAY_MIN = 3000;
/** Most commands under way of one process, in all partitions; the rest of what is under way is bounded by this, too. */
export const UNDER_WAY_MAX = 20_000;
/** How often rates are measured and lost replies made up for, milliseconds. */
const LOOK_MS = 1000;
/** Longest time after which a client is told to try again, seconds, before jitter. */
const RETRY_AFTER_S_MAX = 10;

interface Partition {
  readonly name: string;
  /** Number of the command sent last, and of the last one that was answered. */
  sent: number;
  done: number;
  underWay: number;
  /** Ended since the last look. */
  ended: number;
  /** Commands that end in a second, averaged over the last few. */
  rate: number;
  /** When a command was refused last, milliseconds since 1970; null while all are taken. */
  refusedAt: number | null;
}

interface UnderWay {
  readonly partition: Partition;
  readonly place: number;
  readonly since: number;
}

/** Seconds until half of the commands under way have ended, with jitter, so that those who were refused together do not come back together. */
function retryAfterS(underWay: number, rate: number): number {
  const seconds = Math.min(underWay / 2 / Math.max(rate, 1), RETRY_AFTER_S_MAX);
  return Math.max(1, Math.round(seconds * (0.5 + Math.random())));
}

export class Admission implements CommandSender {
  readonly replyTo: string;
  private readonly partitions = new Map<string, Partition>();
  /** By command id, in the order of sending. */
  private readonly commands = new Map<string, UnderWay>();
  private readonly timer: NodeJS.Timeout;
  private lookedAt = Date.now();
  private asking = false;

  constructor(
    private readonly sender: CommandSender,
    private readonly logger: Logger,
  ) {
    this.replyTo = sender.replyTo;
    this.onReply(({ commandId }) => {
      const command = this.commands.get(commandId);
      if (!command) return;
      command.partition.done = Math.max(command.partition.done, command.place);
      this.end(commandId, command);
    });
    this.timer = setInterval(() => {
      this.look();
    }, LOOK_MS);
    this.timer.unref();
  }

  async send(envelope: Envelope): Promise<void> {
    const { commandId } = envelope;
    // The same command again, because nobody knows whether it is stored, is counted already.
    const isNew = !this.commands.has(commandId);
    if (isNew) this.admit(commandId, this.sender.partitionFor(envelope));
    try {
      await this.sender.send(envelope);
    } catch (error) {
      if (isNew && error instanceof NotAccepted) this.forget(commandId);
      throw error;
    }
  }

  partitionFor(envelope: Envelope): string {
    return this.sender.partitionFor(envelope);
  }

  waiting(partition: string): Promise<number> {
    return this.sender.waiting(partition);
  }

  onReply(listener: (outcome: Outcome) => void): void {
    this.sender.onReply(listener);
  }

  ready(): boolean {
    return this.commands.size < UNDER_WAY_MAX && this.sender.ready();
  }

  /** Stops measuring. */
  close(): void {
    clearInterval(this.timer);
  }

  private admit(commandId: string, name: string): void {
    const partition = this.partitions.get(name) ?? { name, sent: 0, done: 0, underWay: 0, ended: 0, rate: 0, refusedAt: null };
    this.partitions.set(name, partition);
    const { underWay, rate } = partition;
    const limit = Math.max(UNDER_WAY_MIN, (rate * USEFUL_WAIT_MS) / 1000);
    if (underWay >= limit || this.commands.size >= UNDER_WAY_MAX) throw this.refusal(partition);
    partition.underWay += 1;
    partition.sent += 1;
    this.commands.set(commandId, { partition, place: partition.sent, since: Date.now() });
  }

  private refusal(partition: Partition): NotAccepted {
    const { name, underWay, rate, refusedAt } = partition;
    const inAll = this.commands.size;
    if (refusedAt === null) this.logger.warn({ partition: name, underWay, inAll, perSecond: Math.round(rate) }, 'commands are refused: too many are under way');
    partition.refusedAt = Date.now();
    return new NotAccepted(`${underWay} commands of ${name}, ${inAll} in all, are under way`, { retryAfterS: retryAfterS(underWay, rate) });
  }

  private end(commandId: string, { partition }: UnderWay): void {
    partition.ended += 1;
    this.forget(commandId);
  }

  private forget(commandId: string): void {
    const command = this.commands.get(commandId);
    if (command && this.commands.delete(commandId)) command.partition.underWay -= 1;
  }

  private look(): void {
    const now = Date.now();
    const late = new Set<Partition>();
    for (const [commandId, command] of this.commands) {
      if (command.place < command.partition.done) this.end(commandId, command);
      else if (command.since < now - REPLY_USEFUL_MS) late.add(command.partition);
    }
    const seconds = Math.max(now - this.lookedAt, 1) / 1000;
    for (const partition of this.partitions.values()) {
      partition.rate = (partition.rate + partition.ended / seconds) / 2;
      partition.ended = 0;
      if (partition.refusedAt !== null && partition.refusedAt < this.lookedAt) {
        partition.refusedAt = null;
        this.logger.info({ partition: partition.name }, 'commands are taken again');
      }
    }
    this.lookedAt = now;
    void this.forgetEnded(late);
  }

  /** Asks the queues of partitions that do not reply any more. */
  private async forgetEnded(late: ReadonlySet<Partition>): Promise<void> {
    if (this.asking || late.size === 0) return;
    this.asking = true;
    try {
      for (const partition of late) {
        const before = Date.now() - REPLY_USEFUL_MS;
        if ((await this.sender.waiting(partition.name)) > 0) continue;
        for (const [commandId, command] of this.commands) if (command.partition === partition && command.since < before) this.forget(commandId);
      }
    } catch (error) {
      // The broker is away, and tells the next time.
      this.logger.debug({ err: error }, 'queues not asked');
    } finally {
      this.asking = false;
    }
  }
}
