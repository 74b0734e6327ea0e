/**
 * The bytes of the commands that a worker holds, over all its partitions. When they are too many
 * the partition that holds most gives back what it holds, and is sent few messages at a time from
 * then on. A broker counts messages and not bytes, so nothing else bounds them without making every
 * partition slow.
 */

export interface Holder {
  /** Bytes of the commands that it holds now. */
  readonly heldBytes: number;
  /** Gives them back, and holds few from then on; does nothing when it holds few already. */
  holdFew(): void;
}

export class HeldBytes {
  private readonly holders = new Set<Holder>();

  /** @param most bytes of all holders. */
  constructor(private readonly most: number) {}

  /** A holder has come to hold more. */
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
