import type { Delivery, PartitionOwnership } from '../../../shared/messaging/transport';
import type { CommandDelivery } from '../ownership/deliveries';

/**
 * Commands of a batch that failed alone and are tried again in the next one. What comes behind them
 * for the same aggregate waits with them. Other commands of their partitions are carried out; but
 * an acknowledgement covers all messages before it, so those are taken up again as well, and are
 * then answered from their stored outcomes.
 */
export class Postponed {
  private readonly failed = new Set<CommandDelivery>();
  private readonly keys = new Set<string>();
  private readonly places = new Map<PartitionOwnership, number>();

  /** Postpones a command that was tried. */
  add(command: CommandDelivery): void {
    const { ownership, place, message } = command;
    this.failed.add(command);
    this.keys.add(message.envelope.key);
    this.places.set(ownership, Math.min(place, this.places.get(ownership) ?? Infinity));
  }

  get isEmpty(): boolean {
    return this.keys.size === 0;
  }

  /** Whether a command must wait, for one of its aggregate does. */
  blocks({ message }: CommandDelivery): boolean {
    return this.keys.has(message.envelope.key);
  }

  /** Whether a command was not tried, because one before it is postponed. */
  waits(command: CommandDelivery): boolean {
    return this.blocks(command) && !this.failed.has(command);
  }

  /** Whether a delivery is taken up again, and must not be acknowledged before. */
  has({ ownership, place }: Delivery): boolean {
    return place >= (this.places.get(ownership) ?? Infinity);
  }
}
