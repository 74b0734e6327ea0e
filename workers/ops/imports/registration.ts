import { createHash, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Refused } from './row-cells';
import { textOf, type Answer } from './service-answer';
import type { ServiceClient } from './service-client';

/**
 * How a row is registered through the service, so that the pipeline decides: safe to be done again.
 */

export interface Registration {
  readonly kind: 'registered' | 'there';
  /** What else was done. */
  readonly remark?: string;
}

/** Items that one page of a list holds: the most that the API gives. */
const PAGE_SIZE = 100;

/** Distinguishes this run from an earlier one of the same file. */
export const RUN = randomUUID();

/** Returns a hash that tells things apart, 43 characters. */
export function fingerprint(thing: unknown): string {
  return createHash('sha256').update(JSON.stringify(thing)).digest('base64url');
}

/**
 * Returns the body of an answer that must have this status. @throws Refused with what the service
 * says.
 */
export function expected(answer: Answer, wanted: number): Answer['body'] {
  const { status, body } = answer;
  if (status === wanted) return body;
  const faults = Array.isArray(body['errors']) ? (body['errors'] as { message?: string }[]) : [];
  const detail =
    faults.map(({ message = '' }) => message).join('; ') ||
    textOf(answer, 'detail') ||
    'no reason given';
  throw new Refused(`the service answers ${status} ${textOf(answer, 'code')} (${detail})`);
}

/** All items of a list, page by page. @throws Refused */
export async function* itemsOf<Item>(
  client: ServiceClient,
  path: string,
  query: Readonly<Record<string, string>> = {},
): AsyncGenerator<Item, void, undefined> {
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const search = new URLSearchParams({ ...query, page: String(page), size: String(PAGE_SIZE) });
    const answer = await client.call({ method: 'GET', path: `${path}?${search.toString()}` });
    const { items, totalPages } = expected(answer, 200) as unknown as {
      items: Item[];
      totalPages: number;
    };
    yield* items;
    pages = totalPages;
  }
}

/**
 * Creates with an Idempotency-Key that this body always has, so that a run that was cut off and
 * started again makes nothing twice: the answer may be that of the earlier run. `run: RUN` makes it
 * a key of this run alone.
 */
export function create(
  client: ServiceClient,
  path: string,
  body: object,
  run = '',
): Promise<Answer> {
  return client.call({ method: 'POST', path, body, key: `import-${fingerprint([body, run])}` });
}

/**
 * Registers what nothing but its body tells apart. `addressOf`: where the service shows what it has
 * made. @throws Refused
 */
export async function registerOnce(
  client: ServiceClient,
  path: string,
  body: object,
  addressOf: (made: Answer['body']) => string,
): Promise<Registration> {
  const made = expected(await create(client, path, body), 201);
  // The answer may be a stored one, of an earlier run, and what that run made may have been changed
  // or deleted since.
  const shown = await client.call({ method: 'GET', path: addressOf(made) });
  if (shown.status !== 404)
    return {
      kind: shown.status === 200 && !isDeepStrictEqual(shown.body, made) ? 'there' : 'registered',
    };
  expected(await create(client, path, body, RUN), 201);
  return { kind: 'registered' };
}
