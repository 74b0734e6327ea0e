import Joi from 'joi';
import type { CommandOf } from '../../../shared/command';
import { createTable, dialectOf, seedIds } from '../../../shared/database/migrations/dialect';
import { line } from '../../../shared/fields';
import type { Service } from '../../../shared/service';

/**
 * A service of the tests, as small as one can be: a guest book. This is what both sides agree on.
 */

export interface GuestsCommands {
  'guests.sign': { readonly name: string };
}
export type GuestsCommand = CommandOf<GuestsCommands>;

declare module '../../../shared/command' {
  interface CommandPayloads extends GuestsCommands {}
}

export const BOOK = 'guest-book:1';
export const guestName = line(100);

export const guests: Service = {
  payloads: { 'guests.sign': Joi.object({ name: guestName }).prefs({ presence: 'required' }) },
  events: { 'guests.entry.added': true },
  migrations: [
    {
      name: '9001-guests',
      async up(query) {
        const { id, text } = dialectOf(query);
        await createTable(query, {
          name: 'guest_entry',
          columns: [`id ${id}`, `name ${text(100)} NOT NULL`],
        });
        await seedIds(query, ['guest-entry']);
      },
    },
  ],
};
