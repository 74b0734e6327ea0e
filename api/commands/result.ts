import type { Outcome } from '../../shared/command';
import { coursesEtags, coursesLocations } from '../courses/routes';
import type { Answer } from '../http/endpoint';
import { refusalAnswer, refusalJson } from '../http/problem';
import { statusOf } from '../http/problem-kinds';
import { identityLocations } from '../identity/routes';
import { lendingEtags, lendingLocations } from '../lending/routes';
import { postsEtags, postsLocations } from '../posts/routes';

/**
 * How outcomes look to clients: as the final answer of the waiting call, and as the state of a
 * command.
 */

type Result = Readonly<Record<string, unknown>>;

/** Where the things are that commands make. */
const locations: Readonly<Record<string, ((result: Result) => string) | undefined>> = {
  ...identityLocations,
  ...lendingLocations,
  ...postsLocations,
  ...coursesLocations,
};

/** ETags of the things that commands changed. */
const etags: Readonly<Record<string, ((result: Result) => string) | undefined>> = {
  ...lendingEtags,
  ...postsEtags,
  ...coursesEtags,
};

function headersOf(type: string, created: boolean, result: string): Record<string, string> {
  const [location, etag] = created ? [locations[type], undefined] : [undefined, etags[type]];
  if (location) return { Location: location(JSON.parse(result) as Result) };
  return etag ? { ETag: etag(JSON.parse(result) as Result) } : {};
}

function successStatus(created: boolean, result: string | null): number {
  if (created) return 201;
  return result === null ? 204 : 200;
}

/** The final answer. `decorate` adds what is never stored. */
export function answerOf(
  { type, requestId, ending }: Outcome,
  decorate?: (result: Record<string, unknown>) => Record<string, unknown>,
): Answer {
  if (ending.status === 'failed') return refusalAnswer(ending.refusal, requestId);
  const { created, result } = ending;
  const status = successStatus(created, result);
  if (result === null) return { status };
  const headers = headersOf(type, created, result);
  return decorate
    ? { status, headers, body: decorate(JSON.parse(result) as Record<string, unknown>) }
    : { status, headers, json: result };
}

const statusUrl = (commandId: string): string => `/api/commands/${commandId}`;

/** The promise: the command is stored and will be carried out. */
export function promiseOf(commandId: string): Answer {
  return {
    status: 202,
    headers: { Location: statusUrl(commandId) },
    body: { commandId, status: 'queued', statusUrl: statusUrl(commandId) },
  };
}

/** The JSON text of a command that is not carried out yet. */
export function queuedJson(command: {
  commandId: string;
  type: string;
  createdAt: number;
}): string {
  const { commandId, type, createdAt } = command;
  return JSON.stringify({
    commandId,
    type,
    status: 'queued',
    httpStatus: null,
    result: null,
    problem: null,
    createdAt: new Date(createdAt).toISOString(),
    completedAt: null,
  });
}

/**
 * The JSON text of a command that has ended. Result and problem stand in it byte for byte as the
 * waiting call got them.
 */
export function endedJson({
  commandId,
  type,
  requestId,
  createdAt,
  completedAt,
  ending,
}: Outcome): string {
  const text = JSON.stringify;
  const [httpStatus, result, problem] =
    ending.status === 'failed'
      ? [statusOf(ending.refusal.code), 'null', refusalJson(ending.refusal, requestId)]
      : [successStatus(ending.created, ending.result), ending.result ?? 'null', 'null'];
  const head = `"commandId":${text(commandId)},"type":${text(type)},"status":${text(ending.status)},"httpStatus":${httpStatus}`;
  const times = `"createdAt":${text(new Date(createdAt).toISOString())},"completedAt":${text(new Date(completedAt).toISOString())}`;
  return `{${head},"result":${result},"problem":${problem},${times}}`;
}
