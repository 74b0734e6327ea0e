import type { Delivery, PartitionOwnership } from '../../shared/messaging/transport';
import { partitionsWithoutOwner } from '../metrics';

/**
 * Deliveries of partitions without an owner's row, which cannot be taken over. They keep their
 * order, with later deliveries behind them. After a while they are due again, because somebody may
 * have made the row.
 */

/** Pause until they are due, milliseconds. */
const AGAIN_MS = 5000;

export class Ownerless {
  private deliveries: readonly Delivery[] = [];
  private timer: NodeJS.Timeout | null = null;
  private isDue = false;

  /** `due` is called when there is something to take. */
  constructor(private readonly due: () => void) {}

  get all(): readonly Delivery[] {
    return this.deliveries;
  }

  has(ownership: PartitionOwnership): boolean {
    return this.deliveries.some((delivery) => delivery.ownership === ownership);
  }

  add(deliveries: readonly Delivery[]): void {
    if (deliveries.length === 0) return;
    this.keep([...this.deliveries, ...deliveries]);
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.isDue = true;
      this.due();
    }, AGAIN_MS).unref();
  }

  /** Takes all of them when they are due, otherwise none. */
  takeDue(): readonly Delivery[] {
    if (!this.isDue) return [];
    this.isDue = false;
    const { deliveries } = this;
    this.keep([]);
    return deliveries;
  }

  forget(ownership: PartitionOwnership): void {
    if (this.has(ownership))
      this.keep(this.deliveries.filter((delivery) => delivery.ownership !== ownership));
  }

  clear(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    this.keep([]);
  }

  private keep(deliveries: readonly Delivery[]): void {
    this.deliveries = deliveries;
    partitionsWithoutOwner.set(new Set(deliveries.map(({ ownership }) => ownership.name)).size);
  }
}
