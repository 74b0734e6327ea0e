import { createHash, randomUUID } from 'node:crypto';
import type { BookToRegister } from './book-row';
import { textOf, type Answer } from './service-answer';
import type { ServiceClient } from './service-client';

/** Registers one title through the service, so that the pipeline decides. Safe to run again, for every row. */

export type Registration =
  | { readonly kind: 'registered' }
  | { readonly kind: 'there' }
  /** The service said no, and why. */
  | { readonly kind: 'refused'; readonly reason: string };

/** Titles that one page of a lookup holds: the most that the API gives. */
const LOOKUP_SIZE = 100;

/** Distinguishes this run from an earlier one of the same file. */
const RUN = randomUUID();

/**
 * The Idempotency-Key of a row: the same row of the same file always has the same one, so that a title without ISBN,
 * which nothing else tells apart, cannot be registered twice by a run that was cut off and started again. `run` makes
 * it a key of this run alone: for a title whose ISBN tells it apart the answer should be today's and not a stored one.
 */
function rowKey(book: BookToRegister, line: number, run = ''): string {
  return `import-${createHash('sha256').update(JSON.stringify([book, line, run])).digest('hex')}`;
}

function faultOf(answer: Answer): Registration {
  const { status, body } = answer;
  const fields = Array.isArray(body['errors']) ? (body['errors'] as { field?: string; message?: string }[]).map(({ field, message }) => `${field} ${message}`) : [];
  const detail = fields.length > 0 ? fields.join('; ') : textOf(answer, 'detail') || 'no reason given';
  return { kind: 'refused', reason: `the service answers ${status} ${textOf(answer, 'code')} (${detail})` };
}

/** Looks for exactly this title and author, null when it is not there. The filters of the API find more: parts of texts, any case. */
async function lookUp(client: ServiceClient, { title, author }: BookToRegister): Promise<Registration | null> {
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const query = new URLSearchParams({ title, author, page: String(page), size: String(LOOKUP_SIZE) });
    const answer = await client.call({ method: 'GET', path: `/api/book-infos?${query.toString()}` });
    if (answer.status !== 200) return faultOf(answer);
    const { items, totalPages } = answer.body as unknown as { items: { title: string; author: string }[]; totalPages: number };
    if (items.some((item) => item.title === title && item.author === author)) return { kind: 'there' };
    pages = totalPages;
  }
  return null;
}

function post(client: ServiceClient, book: BookToRegister, key: string): Promise<Answer> {
  return client.call({ method: 'POST', path: '/api/book-infos?onDuplicate=reject', body: book, key });
}

async function registerWithoutIsbn(client: ServiceClient, book: BookToRegister, line: number): Promise<Registration> {
  const found = await lookUp(client, book);
  if (found) return found;
  const answer = await post(client, book, rowKey(book, line));
  if (answer.status !== 201) return faultOf(answer);
  // The key may have brought back the stored answer of an earlier run, whose title was deleted since.
  const { status } = await client.call({ method: 'GET', path: `/api/book-infos/${String(answer.body['bookInfoId'])}` });
  if (status !== 404) return { kind: 'registered' };
  const again = await post(client, book, rowKey(book, line, RUN));
  return again.status === 201 ? { kind: 'registered' } : faultOf(again);
}

/** `line`: where the row begins in its file. @throws OpsError when the fault is not the row's. */
export async function registerBook(client: ServiceClient, book: BookToRegister, line: number): Promise<Registration> {
  if (book.isbn === null) return registerWithoutIsbn(client, book, line);
  const answer = await post(client, book, rowKey(book, line, RUN));
  if (answer.status === 201) return { kind: 'registered' };
  return textOf(answer, 'code') === 'ISBN_ALREADY_REGISTERED' ? { kind: 'there' } : faultOf(answer);
}
