/**
 * How many events the aggregates of a batch have had. Each event gets the next number of its
 * aggregate as its `sequence`, and the count is stored with the aggregate's row: who listens can
 * tell a loss.
 */
export class EventCounts {
  private readonly counts = new Map<string, number>();
  private readonly changed = new Set<string>();

  /** `count`: what the database has. */
  load(aggregateId: string, count: number): void {
    this.counts.set(aggregateId, count);
  }

  /** The number of the next event of an aggregate, which is 1 for a new one. */
  next(aggregateId: string): number {
    const count = this.of(aggregateId) + 1;
    this.counts.set(aggregateId, count);
    this.changed.add(aggregateId);
    return count;
  }

  of(aggregateId: string): number {
    return this.counts.get(aggregateId) ?? 0;
  }

  /** Whether the batch told of the aggregate. */
  hasChanged(aggregateId: string): boolean {
    return this.changed.has(aggregateId);
  }
}
