import Joi from 'joi';
import type { Now } from '../../shared/database/clock';
import { line } from '../../shared/fields';
import type { CommandIds } from '../commands/command-id';
import type { Endpoint, Input } from '../http/endpoint';
import { queryForm, queryId, queryInteger } from '../http/requests/query-rules';
import { shown } from '../openapi/doc';
import {
  searchCommands,
  type CommandFilters,
  type CommandTrack,
  type FoundCommands,
} from './command-search';
import { AGGREGATE_LENGTH_MAX, SIZE_DEFAULT, SIZE_MAX } from './limits';
import { commandTrackList } from './schemas';

/** What became of commands, and how long each step of their way took. */

const ID_FORM = /^[0-9a-f]{40}$/;
const commandId = () => queryForm(ID_FORM, 'the id of a command');

export interface CommandSearchOptions {
  readonly ids: CommandIds;
  readonly now: Now;
}

export function commandSearchEndpoint({ ids, now }: CommandSearchOptions): Endpoint {
  /**
   * Returns the state of a command without an outcome: it is on its way, or was refused before it
   * became a command.
   */
  const onItsWay = ({ id, userId, aggregate, before }: CommandFilters): CommandTrack[] => {
    const known =
      id !== undefined && userId === undefined && aggregate === undefined && before === undefined
        ? ids.read(id, now().getTime())
        : null;
    if (!known || known.expired || id === undefined) return [];
    const untold = {
      code: null,
      detail: null,
      userId: null,
      aggregate: null,
      requestId: null,
      confirmedAt: null,
      takenAt: null,
      decidedAt: null,
      committedAt: null,
      answeredAt: null,
      api: null,
      worker: null,
      failures: [],
    };
    return [
      {
        ...untold,
        commandId: id,
        type: known.type,
        status: 'queued',
        receivedAt: new Date(known.createdAt).toISOString(),
      },
    ];
  };

  return {
    method: 'get',
    path: '/api/console/commands',
    who: 'admin',
    kind: 'read',
    query: Joi.object({
      id: commandId(),
      userId: queryId(),
      aggregate: line(AGGREGATE_LENGTH_MAX),
      before: commandId(),
      size: queryInteger({ min: 1, max: SIZE_MAX, clamp: true }).default(SIZE_DEFAULT),
    }),
    doc: {
      id: 'searchCommands',
      tag: 'Console',
      summary: 'Commands by id, user or aggregate, each with its timeline',
      description:
        'Commands of the last 24 hours that have ended, newest first. A command that has not ended is found by its id. Unknown steps are null: confirm, commit and answer are known only for commands whose client waited. `failures` are the attempts that ended in a dead letter; the other instants are those of the attempt after them. `next` is the `before` of the next page.',
      answers: shown(commandTrackList),
    },
    handle: async ({ query }: Input<unknown, CommandFilters>) => {
      const found: FoundCommands = await searchCommands(query);
      return {
        status: 200,
        body: found.items.length > 0 ? found : { ...found, items: onItsWay(query) },
      };
    },
  };
}
