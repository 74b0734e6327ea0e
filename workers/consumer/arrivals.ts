import type { Delivery, PartitionOwnership } from '../../shared/messaging/transport';

/**
 * Commands that have arrived and wait for their batch, in a queue for each partition.
 * When not all fit into the next batch, the partitions take turns. A partition with many or large
 * commands therefore does not hold up the others.
 */

/**
 * How many bytes a partition may put into a batch before the others have had their turn: some
 * dozens of usual commands.
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

  /** Puts deliveries back, in front of the waiting ones. */
  putBack(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries.toReversed())
      this.lineOf(delivery.ownership).unshift(delivery);
    this.count += deliveries.length;
  }

  /** Forgets the waiting deliveries of a partition. */
  forget(ownership: PartitionOwnership): void {
    this.count -= this.lines.get(ownership)?.length ?? 0;
    this.lines.delete(ownership);
  }

  clear(): void {
    this.lines.clear();
    this.count = 0;
  }

  /** Returns all waiting deliveries, in order within each partition. */
  all(): Delivery[] {
    return [...this.lines.values()].flat();
  }

  /**
   * Takes the next batch, in order within each partition. Deliveries of lost partitions are
   * dropped.
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

  /** Removes taken deliveries. A partition that had no full turn is first the next time. */
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
