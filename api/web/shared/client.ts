import createClient from 'openapi-fetch';
import type { components, paths } from './generated/api';
import { Refused, type Problem } from './problem';
import { currentSession, endSession } from './session';

/** The API, typed by its own document. Pages ask it for everything that they show. */

export type Schemas = components['schemas'];

export const client = createClient<paths, 'application/json'>({
  querySerializer: { array: { style: 'form', explode: false } },
});

/**
 * Sets `Authorization`; a token that the service refuses ends the session, and somebody signs in
 * again.
 */
client.use({
  onRequest({ request }) {
    const { token } = currentSession();
    if (token !== null) request.headers.set('Authorization', `Bearer ${token}`);
  },
  onResponse({ request, response }) {
    const token = request.headers.get('Authorization')?.slice('Bearer '.length);
    if (response.status === 401 && token !== undefined) endSession(token);
  },
});

/** A call of `client`. */
export type Call<Data> = Promise<{
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}>;

/**
 * What the service has answered; undefined when it has no body.
 * @throws Refused when that is a problem, and whatever `fetch` throws when no answer comes
 */
export async function answered<Data>(call: Call<Data>): Promise<Data> {
  const { data, error, response } = await call;
  if (!response.ok) throw new Refused(error as Problem);
  return data as Data;
}
