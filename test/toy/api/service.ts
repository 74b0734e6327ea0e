import Joi from 'joi';
import type { Input } from '../../../api/http/endpoint';
import { created } from '../../../api/openapi/doc';
import { id, object, text } from '../../../api/openapi/schema';
import type { ApiService } from '../../../api/service';
import { BOOK, guestName, type GuestsCommands } from '../shared/guests';

const entry = object('GuestEntry', { entryId: id, name: text }, { entryId: 1, name: 'Mina' });

/** The guest book as the API serves it. */
export const guestsApi: ApiService<keyof GuestsCommands> = {
  results: { 'guests.sign': entry },
  events: { 'guests.entry.added': entry },
  endpoints: () => [
    {
      method: 'post',
      path: '/api/guests',
      who: 'user',
      kind: 'write',
      body: Joi.object({ name: guestName.required() }),
      doc: {
        id: 'signGuestBook',
        tag: 'Service',
        summary: 'Sign the guest book',
        answers: created(entry),
        example: { name: 'Mina' },
      },
      location: ({ entryId }) => `/api/guests/${String(entryId)}`,
      command: ({ body: { name } }: Input<{ readonly name: string }>) => ({
        type: 'guests.sign',
        key: BOOK,
        payload: { name },
      }),
    },
  ],
};
