import { done, type WorkerService } from '../../../workers/batch/service/decision';
import { EventCounts } from '../../../workers/batch/service/event-counts';
import type { IdsOf, NeedsOf } from '../../../workers/batch/service/needs';
import { statePlan } from '../../../workers/batch/service/state-plan';
import { BOOK, type GuestsCommand } from '../shared/guests';

interface Entry {
  readonly entryId: number;
  readonly name: string;
}

class GuestBook {
  readonly events = new EventCounts();
  readonly added: Entry[] = [];
  evolve(entry: Entry): void {
    this.added.push(entry);
  }
}

const needs = {
  'guests.sign': { ids: { 'guest-entry': 1 }, reads: () => undefined },
} as const satisfies NeedsOf<GuestsCommand, undefined>;

/** The guest book as workers carry it out. */
export const guestsWorker: WorkerService = {
  needs,
  plan: () =>
    statePlan<GuestBook, GuestsCommand, Entry, IdsOf<typeof needs, 'guests.sign'>>({
      reads: [
        {
          // Each entry is an event.
          statement: { sql: 'SELECT COUNT(*) AS entries FROM guest_entry', values: [] },
          apply: ([row], { events }) => {
            events.load(BOOK, Number(row?.entries));
          },
        },
      ],
      newState: () => new GuestBook(),
      decide(_state, { payload: { name } }, { takeId }) {
        const entry = { entryId: takeId('guest-entry'), name };
        const event = { type: 'guests.entry.added', aggregateId: BOOK, data: entry };
        return { decision: done(entry, [event], true), changes: entry };
      },
      events: ({ events }) => events,
      writes: ({ added }) =>
        added.map(({ entryId, name }) => ({
          sql: 'INSERT INTO guest_entry (id, name) VALUES (?, ?)',
          values: [entryId, name],
        })),
      views: null,
    }),
};
