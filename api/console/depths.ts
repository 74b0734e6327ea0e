import type { CommandSender, QueueState } from '../../shared/messaging/transport';

/**
 * Most partitions that the transport is asked about at a time: each is a question to the broker.
 */
const ASKED_MAX = 16;

/**
 * What waits in the partitions, as of when it was asked last: the busy ones each time, the others
 * in turn, so that the cost stays the same however many there are.
 */
export class Depths {
  private readonly known = new Map<string, QueueState>();
  private turn = 0;

  constructor(private readonly sender: Pick<CommandSender, 'waiting'>) {}

  /**
   * Returns the depth of a partition. Null when it is unknown, for instance while the transport is
   * unavailable.
   */
  of(partition: string): QueueState | null {
    return this.known.get(partition) ?? null;
  }

  /** Asks anew. `busy` are partitions in which something has just happened. Never rejects. */
  async look(partitions: readonly string[], busy: ReadonlySet<string>): Promise<void> {
    const present = new Set(partitions);
    for (const name of this.known.keys()) if (!present.has(name)) this.known.delete(name);
    const isBusy = (name: string) => busy.has(name) || (this.known.get(name)?.commands ?? 0) > 0;
    const rotated = [...partitions.slice(this.turn), ...partitions.slice(0, this.turn)];
    // Half of them at most, so that each has its turn.
    const first = rotated.filter(isBusy).slice(0, ASKED_MAX / 2);
    const others = rotated
      .filter((name) => !first.includes(name))
      .slice(0, ASKED_MAX - first.length);
    this.turn = partitions.length === 0 ? 0 : (this.turn + others.length) % partitions.length;
    try {
      for (const name of [...first, ...others])
        this.known.set(name, await this.sender.waiting(name));
    } catch {
      this.known.clear();
    }
  }
}
