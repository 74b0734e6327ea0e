/** An event as the outbox has it and as it is published. */
export interface StoredEvent {
  readonly eventId: string;
  readonly type: string;
  readonly occurredAt: string;
  readonly aggregateId: string;
  readonly commandId: string;
  readonly data: Record<string, unknown>;
}

/** The events in rows of the outbox, in their order. `Array.from`: the rows of SQLite come in an array of another realm. */
export const eventsIn = (rows: readonly object[]): StoredEvent[] =>
  Array.from(rows, (row) => (row as { events: string }).events.split('\n').map((line) => JSON.parse(line) as StoredEvent)).flat();
