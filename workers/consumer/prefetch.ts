/** Most held messages: several batches, so that the next batch fills while the last one commits. */
const PREFETCH_MANY = 1500;
/** Most held messages while they are large. A batch takes no more of them anyway. */
const PREFETCH_FEW = 4;
/** How long after the last large message many are held again, milliseconds. */
const FEW_MS = 60_000;
/** A message with more bytes counts as large. */
const LARGE_BYTES = 65_536;

/** How many messages a partition holds: many, or few while large ones come. */
export class Prefetch {
  private low = false;
  /** When the last large message came, milliseconds of `performance.now()`. */
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

  /** Notes a message of this many bytes. */
  took(bytes: number, at: number): void {
    if (bytes > LARGE_BYTES) this.largeAt = at;
  }

  /** Raises the prefetch when no large message has come for a while. True when that changes it. */
  raise(): boolean {
    if (!this.low || performance.now() - this.largeAt < FEW_MS) return false;
    this.low = false;
    return true;
  }
}
