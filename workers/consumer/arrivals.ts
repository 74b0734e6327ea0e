import type { Delivery, PartitionHold } from '../../shared/messaging/transport';

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
  private readonly lines = new Map<PartitionHold, Delivery[]>();
  private count = 0;

  get length(): number {
    return this.count;
  }

  add(delivery: Delivery): void {
    this.lineOf(delivery.hold).push(delivery);
    this.count += 1;
  }

  /** In front of what is there already. */
  putBack(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries.toReversed()) this.lineOf(delivery.hold).unshift(delivery);
    this.count += deliveries.length;
  }

  /** Forgets what has arrived of a partition. */
  forget(hold: PartitionHold): void {
    this.count -= this.lines.get(hold)?.length ?? 0;
    this.lines.delete(hold);
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
    for (const hold of [...this.lines.keys()]) if (hold.lost) this.forget(hold);
    const batch: Delivery[] = [];
    let batchBytes = 0;
    const fits = ({ bytes: more }: Delivery): boolean =>
      batch.length < commands && (batch.length === 0 || batchBytes + more <= bytes);
    const parts = [...this.lines].map(([hold, line]) => ({ hold, line, taken: 0, bytes: 0 }));
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
    for (const { hold, taken } of parts) if (taken > 0) this.remove(hold, taken);
    return batch;
  }

  /**
   * Removes what was taken. Who had no turn, or not all of it, is before the others the next time.
   */
  private remove(hold: PartitionHold, taken: number): void {
    const rest = this.lineOf(hold).slice(taken);
    this.count -= taken;
    this.lines.delete(hold);
    if (rest.length > 0) this.lines.set(hold, rest);
  }

  private lineOf(hold: PartitionHold): Delivery[] {
    const line = this.lines.get(hold) ?? [];
    this.lines.set(hold, line);
    return line;
  }
}
