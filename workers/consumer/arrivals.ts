import type { Delivery, PartitionOwnership } from '../../shared/messaging/transport';

/**
 * What has arrived and waits for its batch, in a line for each partition. When not all of it fits
 * into the next batch, the partitions take turns, so that one with much to do, or with large
 * commands, does not hold up the others.
 */

/**
 * What a partition may put into a batch before the others have had their turn, bytes: some tens of
 * usual commands.
 */
const TURN_BYTES = 32 * 1024;

export interface BatchSize {
  readonly commands: number;
  /** A batch of one command may have more. */
  readonly bytes: number;
}

export class Arrivals {
  /** In the order of their turns. */
  private readonly lines = new Map<PartitionOwnership, Delivery[]>();
  private count = 0;

  get length(): number {
    return this.count;
  }

  add(delivery: Delivery): void {
    this.lineOf(delivery.ownership).push(delivery);
    this.count += 1;
  }

  /** In front of what is there already. */
  putBack(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries.toReversed())
      this.lineOf(delivery.ownership).unshift(delivery);
    this.count += deliveries.length;
  }

  /** Forgets what has arrived of a partition. */
  forget(ownership: PartitionOwnership): void {
    this.count -= this.lines.get(ownership)?.length ?? 0;
    this.lines.delete(ownership);
  }

  clear(): void {
    this.lines.clear();
    this.count = 0;
  }

  /** What has arrived, of each partition in its order. */
  all(): Delivery[] {
    return [...this.lines.values()].flat();
  }

  /**
   * Takes the next batch, of each partition in its order. Of partitions that were lost nothing is
   * left after that.
   */
  take({ commands, bytes }: BatchSize): Delivery[] {
    for (const ownership of [...this.lines.keys()]) if (ownership.lost) this.forget(ownership);
    const batch: Delivery[] = [];
    let batchBytes = 0;
    const fits = ({ bytes: more }: Delivery): boolean =>
      batch.length < commands && (batch.length === 0 || batchBytes + more <= bytes);
    const parts = [...this.lines].map(([ownership, line]) => ({
      ownership,
      line,
      taken: 0,
      bytes: 0,
    }));
    let waiting = parts;
    for (let turn = TURN_BYTES; waiting.length > 0; turn += TURN_BYTES) {
      for (const part of waiting) {
        for (
          let next = part.line[part.taken];
          next && part.bytes < turn && fits(next);
          next = part.line[part.taken]
        ) {
          batch.push(next);
          batchBytes += next.bytes;
          part.taken += 1;
          part.bytes += next.bytes;
        }
      }
      waiting = waiting.filter(({ line, taken }) => {
        const next = line[taken];
        return next !== undefined && fits(next);
      });
    }
    for (const { ownership, taken } of parts) if (taken > 0) this.remove(ownership, taken);
    return batch;
  }

  /**
   * Removes what was taken. Who had no turn, or not all of it, is before the others the next time.
   */
  private remove(ownership: PartitionOwnership, taken: number): void {
    const rest = this.lineOf(ownership).slice(taken);
    this.count -= taken;
    this.lines.delete(ownership);
    if (rest.length > 0) this.lines.set(ownership, rest);
  }

  private lineOf(ownership: PartitionOwnership): Delivery[] {
    const line = this.lines.get(ownership) ?? [];
    this.lines.set(ownership, line);
    return line;
  }
}
