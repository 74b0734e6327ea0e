/**
 * The bytes of the commands that a worker holds, over all its partitions.
 * When they are too many, the partition with most of them gives its commands back, and gets few
 * messages at a time from then on. A broker counts messages and not bytes, so any other bound would
 * slow down every partition.
 */

export interface Holder {
  /** Bytes of the commands that it holds now. */
  readonly heldBytes: number;
  /** Gives them back, and holds few from then on. Does nothing when it already holds few. */
  holdFew(): void;
}

export class HeldBytes {
  private readonly holders = new Set<Holder>();

  /** @param most bytes of all holders together. */
  constructor(private readonly most: number) {}

  /** Reports that a holder holds more than before. */
  grew(holder: Holder): void {
    this.holders.add(holder);
    if (this.total() <= this.most) return;
    for (const one of [...this.holders].sort((a, b) => b.heldBytes - a.heldBytes))
      if (this.total() > this.most) one.holdFew();
  }

  private total(): number {
    let bytes = 0;
    for (const { heldBytes } of this.holders) bytes += heldBytes;
    return bytes;
  }
}
