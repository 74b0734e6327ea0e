import { Lendline, valueOf, type Result } from '@lendline/client';
import { checkConnection, noteAnswer } from './connection';
import { currentSession, endSession } from './session';

/** The client of the API for all pages. */

export type { CallOptions, Result, Schemas } from '@lendline/client';

/**
 * Writes need a connection; reads may have an answer that was kept. A token that the service
 * refuses ends the session, and somebody signs in again.
 */
const fetchInSession: typeof fetch = async (input, init) => {
  checkConnection(init?.method);
  const response = await fetch(input, init);
  noteAnswer(response);
  const authorization = new Headers(init?.headers).get('Authorization');
  if (response.status === 401 && authorization !== null)
    endSession(authorization.slice('Bearer '.length));
  return response;
};

/**
 * The client at the address of the page. Pages show why something did not work while they try
 * again, and go on when a write is only promised, so the client does neither by itself.
 */
export const client = new Lendline({
  baseUrl: '',
  token: () => currentSession().token,
  retries: 0,
  followMs: 0,
  fetch: fetchInSession,
});

/**
 * Returns the value of a call.
 * @throws Refusal when it was refused, NoAnswer when no answer came.
 */
export const answered = async <Value>(call: Promise<Result<Value, unknown>>): Promise<Value> =>
  valueOf(await call);
