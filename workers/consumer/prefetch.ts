/**
 * Messages held at most: several batches, so that the next batch fills while the last one commits.
 */
const PREFETCH_MANY = 1500;
/**
 * The same while the messages are so large that the worker would hold too many bytes: a batch takes
 * no more of them anyway.
 */
const PREFETCH_FEW = 4;
/** How long no large message has come before many are held again, milliseconds. */
const FEW_MS = 60_000;
/** A message with more bytes is large. */
const LARGE_BYTES = 65_536;

/** How many messages a partition holds: many, or few while large ones come. */
export class Prefetch {
  private low = false;
  /** When a large message came last, milliseconds of `performance.now()`. */
  private largeAt = 0;

  get count(): number {
    return this.low ? PREFETCH_FEW : PREFETCH_MANY;
  }

  get isLow(): boolean {
    return this.low;
  }

  lower(): void {
    this.low = true;
    this.largeAt = performance.now();
  }

  /** Notes that a message of so many bytes came. */
  took(bytes: number, at: number): void {
    if (bytes > LARGE_BYTES) this.largeAt = at;
  }

  /** Raises it when no large message has come for a while; true when that changes it. */
  raise(): boolean {
    if (!this.low || performance.now() - this.largeAt < FEW_MS) return false;
    this.low = false;
    return true;
  }
}
