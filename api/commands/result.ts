import type { Outcome } from '../../shared/command';
import type { Answer, Result, Shaping } from '../http/endpoint';
import { problemBody, refusalAnswer, refusalJson, type Problem } from '../http/responses/problem';
import { statusOf } from '../http/responses/problem-kinds';

/**
 * Shapes outcomes for clients: as the final answer of a waiting call, and as the state of a
 * command.
 */

function headersOf(
  { location, etag }: Shaping,
  created: boolean,
  result: string,
): Record<string, string> {
  if (created) return location ? { Location: location(JSON.parse(result) as Result) } : {};
  return etag ? { ETag: etag(JSON.parse(result) as Result) } : {};
}

function successStatus(created: boolean, result: string | null): number {
  if (created) return 201;
  return result === null ? 204 : 200;
}

/** The final answer, as the endpoint shapes it. */
export function answerOf({ requestId, ending }: Outcome, shaping: Shaping): Answer {
  if (ending.status === 'failed') return refusalAnswer(ending.refusal, requestId);
  const { created, result } = ending;
  const status = successStatus(created, result);
  if (result === null) return { status };
  const headers = headersOf(shaping, created, result);
  const { decorate } = shaping;
  return decorate
    ? { status, headers, body: decorate(JSON.parse(result) as Record<string, unknown>) }
    : { status, headers, json: result };
}

/** The same without its body; null for a promise or a refusal, which have to say what they are. */
export function minimalOf({ status, headers = {} }: Answer): Answer | null {
  if (status === 202 || status >= 300) return null;
  return { status: status === 200 ? 204 : status, headers };
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

/** The JSON text of a queued command. */
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

/** The result of one of many commands, as JSON text. */
function itemJson(
  status: 'queued' | 'succeeded' | 'failed',
  httpStatus: number | null,
  commandId: string | null,
  { result = 'null', problem = 'null' }: { readonly result?: string; readonly problem?: string },
): string {
  const text = JSON.stringify;
  const url = commandId === null ? null : statusUrl(commandId);
  const head = `"status":${text(status)},"httpStatus":${httpStatus},"result":${result}`;
  return `{${head},"problem":${problem},"commandId":${text(commandId)},"statusUrl":${text(url)}}`;
}

/** Result and problem stand in it byte for byte as the single call would have got them. */
export function endedItem({ commandId, requestId, ending }: Outcome): string {
  if (ending.status === 'failed') {
    const { refusal } = ending;
    const problem = refusalJson(refusal, requestId);
    return itemJson('failed', statusOf(refusal.code), commandId, { problem });
  }
  const { created, result } = ending;
  const httpStatus = successStatus(created, result);
  return itemJson('succeeded', httpStatus, commandId, { result: result ?? 'null' });
}

export const queuedItem = (commandId: string): string => itemJson('queued', null, commandId, {});

/** An item that became no command, or of which that is not known. */
export function refusedItem({ code, detail, extras }: Problem, requestId: string): string {
  const problem = JSON.stringify(problemBody(code, detail, requestId, extras));
  const { commandId = null } = extras as { readonly commandId?: string };
  return itemJson('failed', statusOf(code), commandId, { problem });
}
