import type { Envelope } from '../../shared/command';
import { SMALL_BYTES } from '../http/requests/body-bytes';

/**
 * How long a command may wait for its turn, milliseconds: half of the time that a client waits for
 * its answer.
 */
const USEFUL_WAIT_MS = 5000;
/**
 * Commands of one partition that are always let in: a multiple of the clients that may want the
 * same title at the same time.
 */
export const UNDER_WAY_MIN = 3000;
/** Longest time after which a client is told to try again, seconds, before jitter. */
const RETRY_AFTER_S_MAX = 10;

/**
 * What one process has under way in one partition, and how fast that ends. The limit is Little's
 * law: a command that joins is answered after the number of those under way divided by the rate at
 * which they end. Below UNDER_WAY_MIN nothing is refused: a partition that stood still shows no
 * rate, a burst must not be taken for an overload, and while MySQL is unavailable so many commands
 * may wait for it.
 */
export class PartitionLoad {
  /** When a reply came last, milliseconds of `performance.now()`. */
  repliedAt = 0;
  /**
   * When a command was refused last, milliseconds of `performance.now()`; null while all are taken.
   */
  refusedAt: number | null = null;
  private count = 0;
  private bytes = 0;
  /** Place of the command sent last, and of the last one that was replied to. */
  private sent = 0;
  private replied = 0;
  /** Ended since the rate was measured last. */
  private ended = 0;
  /** Commands that end in a second, averaged over the last few seconds. */
  private perSecond = 0;

  constructor(readonly name: string) {}

  get underWay(): number {
    return this.count;
  }

  get rate(): number {
    return Math.round(this.perSecond);
  }

  get full(): boolean {
    return this.count >= Math.max(UNDER_WAY_MIN, (this.perSecond * USEFUL_WAIT_MS) / 1000);
  }

  /** Bytes of the large commands under way. */
  get bytesUnderWay(): number {
    return this.bytes;
  }

  /** Counts a command and returns its place in the queue. */
  enter(bytes: number): number {
    this.count += 1;
    this.bytes += bytes;
    return (this.sent += 1);
  }

  reply(place: number): void {
    this.replied = Math.max(this.replied, place);
    this.repliedAt = performance.now();
  }

  /** Whether a command that was sent later was replied to. */
  isOvertaken(place: number): boolean {
    return place < this.replied;
  }

  /** Takes a command out of the count: it ended, or it was not taken. */
  leave(bytes: number, ended: boolean): void {
    this.count -= 1;
    this.bytes -= bytes;
    if (ended) this.ended += 1;
  }

  /** Measures the rate over the last `seconds`. */
  measure(seconds: number): void {
    this.perSecond = (this.perSecond + this.ended / seconds) / 2;
    this.ended = 0;
  }

  /**
   * Seconds until half of what is under way has ended, with jitter, so that those who were refused
   * together do not come back together.
   */
  retryAfterS(): number {
    const seconds = Math.min(this.count / 2 / Math.max(this.perSecond, 1), RETRY_AFTER_S_MAX);
    return Math.max(1, Math.round(seconds * (0.5 + Math.random())));
  }
}

/** The bytes of a command that is large, else 0. */
export function largeBytesOf({ payload }: Pick<Envelope, 'payload'>): number {
  const bytes = Buffer.byteLength(JSON.stringify(payload));
  return bytes > SMALL_BYTES ? bytes : 0;
}
