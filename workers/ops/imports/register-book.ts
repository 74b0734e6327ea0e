import type { BookToRegister } from './book-row';
import { create, expected, itemsOf, registerOnce, RUN, type Registration } from './registration';
import { textOf } from './service-answer';
import type { ServiceClient } from './service-client';

const PATH = '/api/book-infos';
const CREATE = `${PATH}?onDuplicate=reject`;

/**
 * Whether exactly this title and author is there. The filters of the API find more: parts of texts,
 * any case.
 */
async function isThere(client: ServiceClient, { title, author }: BookToRegister): Promise<boolean> {
  for await (const item of itemsOf<{ title: string; author: string }>(client, PATH, {
    title,
    author,
  })) {
    if (item.title === title && item.author === author) return true;
  }
  return false;
}

/** @throws Refused, or OpsError when the fault is not the row's. */
export async function registerBook(
  client: ServiceClient,
  book: BookToRegister,
): Promise<Registration> {
  if (book.isbn === null) {
    return (await isThere(client, book))
      ? { kind: 'there' }
      : registerOnce(client, CREATE, book, ({ bookInfoId }) => `${PATH}/${String(bookInfoId)}`);
  }
  // The ISBN tells the title apart, for ever; so the answer should be today's and not a stored one.
  const answer = await create(client, CREATE, book, RUN);
  if (textOf(answer, 'code') === 'ISBN_ALREADY_REGISTERED') return { kind: 'there' };
  expected(answer, 201);
  return { kind: 'registered' };
}
