import { answered, client, type CallOptions, type Schemas } from '../shared/client';

/** The console's calls of the API. */

export type Letter = Schemas['DeadLetter'];
export type Track = Schemas['CommandTrack'];
export type Point = Schemas['ConsolePoint'];

export interface CommandQuery {
  readonly id?: string;
  readonly userId?: number;
  readonly aggregate?: string;
}

const at = (letterId: number) => ({ path: { letterId } });

/** Most commands of an aggregate that are read for the result of a replay. */
const TRACKS_MAX = 100;
const REPLAYS_SHOWN = 5;
const REPLAY_ACTION = 'console.replay-dead-letters';

export const loadHistory = async (): Promise<readonly Point[]> =>
  (await answered(client.request('GET', '/api/console/history'))).items;

export const findCommands = (query: CommandQuery, before: string | null = null) =>
  answered(
    client.request('GET', '/api/console/commands', {
      query: { ...query, ...(before !== null && { before }) },
    }),
  );

export const loadTracks = async (aggregate: string): Promise<readonly Track[]> =>
  (
    await answered(
      client.request('GET', '/api/console/commands', { query: { aggregate, size: TRACKS_MAX } }),
    )
  ).items;

export const listLetters = (after: number | null) =>
  answered(
    client.request('GET', '/api/console/dead-letters', { query: after === null ? {} : { after } }),
  );
export const showLetter = (letter: number) =>
  answered(client.request('GET', '/api/console/dead-letters/{letterId}', at(letter)));
export const replayLetter = (letter: number) =>
  answered(client.request('POST', '/api/console/dead-letters/{letterId}/replay', at(letter)));
export const discardLetter = (letter: number) =>
  answered(client.request('DELETE', '/api/console/dead-letters/{letterId}', at(letter)));

export const resizePartitions = (partitions: number, options: CallOptions) =>
  client.request('POST', '/api/console/partitions/resize', { ...options, body: { partitions } });
export const drainWorker = (worker: string, options: CallOptions) =>
  client.request('POST', '/api/console/workers/{worker}/drain', { ...options, path: { worker } });
export const resumeWorker = (worker: string, options: CallOptions) =>
  client.request('POST', '/api/console/workers/{worker}/resume', { ...options, path: { worker } });

/** Returns the latest replays, from the audit. */
export const listReplays = async (): Promise<readonly Schemas['AuditEntry'][]> =>
  (
    await answered(
      client.request('GET', '/api/audit', {
        query: { action: REPLAY_ACTION, size: REPLAYS_SHOWN },
      }),
    )
  ).items;
