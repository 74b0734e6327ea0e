import type { EventBody } from '../clients/event-tour';

/**
 * Returns the events in rows of the outbox, in their order. `Array.from`: the rows of SQLite come
 * in an array of another realm.
 */
export const eventsIn = (rows: readonly object[]): EventBody[] =>
  Array.from(rows, (row) =>
    (row as { events: string }).events.split('\n').map((line) => JSON.parse(line) as EventBody),
  ).flat();
