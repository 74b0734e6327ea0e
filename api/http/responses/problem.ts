import { randomInt } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Refusal } from '../../../shared/command';
import { sendAnswer } from './answer';
import type { Answer } from '../endpoint';
import { kindOf, pathOf, statusOf, type KnownCode } from './problem-kinds';
import { contextOf } from '../request-context';

/** Every refusal and error of the API as RFC 9457 problems. */

/**
 * Range of seconds for `Retry-After` when nothing better is known. It is random, so that clients do
 * not come back together.
 */
const RETRY_AFTER_S_MIN = 1;
const RETRY_AFTER_S_MAX = 3;

/** One fault of a request; `field` is a dotted path. */
export interface Fault {
  readonly field: string;
  /** Its place in the body (RFC 6901, as a fragment); absent for a parameter. */
  readonly pointer?: string;
  readonly code: string;
  readonly message: string;
}

interface ProblemOptions {
  /** Further members of the body: ids of the things that caused the refusal, or `errors`. */
  readonly extras?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** Ends a request with a problem. `detail` is a sentence for people. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly extras: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly code: KnownCode,
    readonly detail: string,
    { extras = {}, headers = {}, cause }: ProblemOptions = {},
  ) {
    super(detail, { cause });
    this.extras = extras;
    this.headers = headers;
  }
}

/** The body of a problem. `requestId` is that of the request which met it. */
export function problemBody(
  code: string,
  detail: string,
  requestId: string,
  extras: Readonly<Record<string, unknown>> = {},
) {
  const [status, title] = kindOf(code);
  return { type: pathOf(code), title, status, code, detail, requestId, ...extras };
}

/** Headers that a code or its status demands. */
function headersOf(code: string, status: number): Record<string, string> {
  // The draft of Idempotency-Key asks for a link to its documentation.
  if (code === 'IDEMPOTENCY_KEY_REUSED')
    return { Link: `<${pathOf(code)}>; rel="describedby"; type="text/html"` };
  if (status === 401) return { 'WWW-Authenticate': 'Bearer' };
  if (status === 429 || status === 503)
    return { 'Retry-After': String(randomInt(RETRY_AFTER_S_MIN, RETRY_AFTER_S_MAX + 1)) };
  return {};
}

/** The JSON text of a refusal, the same for a waiting client and in the state of the command. */
export function refusalJson(refusal: Refusal, requestId: string): string {
  return JSON.stringify(problemBody(refusal.code, refusal.detail, requestId, refusal.ids));
}

/** The answer that carries a problem. */
function problemAnswer(
  code: string,
  json: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const status = statusOf(code);
  return {
    status,
    headers: {
      'Content-Type': 'application/problem+json; charset=utf-8',
      ...headersOf(code, status),
      ...headers,
    },
    json,
  };
}

export function refusalAnswer(refusal: Refusal, requestId: string): Answer {
  return problemAnswer(refusal.code, refusalJson(refusal, requestId));
}

export function sendProblem(
  request: Request,
  response: Response,
  { code, detail, extras, headers }: Problem,
): void {
  const json = JSON.stringify(problemBody(code, detail, contextOf(response).requestId, extras));
  sendAnswer(request, response, problemAnswer(code, json, headers));
}
