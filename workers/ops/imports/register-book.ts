import type { BookToRegister } from './book-row';
import { addBarcodes } from './register-barcodes';
import { expected, itemsOf, registerOnce, type Registration } from './registration';
import { textOf, type Answer } from './service-answer';
import type { ServiceClient } from './service-client';
import { Together } from './together';

const PATH = '/api/book-infos';
const CREATE = `${PATH}?onDuplicate=reject`;
const together = new Together({ one: CREATE, many: `${PATH}/bulk?onDuplicate=reject` });

type Made = Registration & { readonly bookInfoId: number };

/**
 * Returns the book of exactly this title and author. The filters of the API find more: parts of
 * texts, any case.
 */
async function findBook(
  client: ServiceClient,
  { title, author }: BookToRegister,
): Promise<number | null> {
  for await (const item of itemsOf<{ bookInfoId: number; title: string; author: string }>(
    client,
    PATH,
    { title, author },
  )) {
    if (item.title === title && item.author === author) return item.bookInfoId;
  }
  return null;
}

const idOf = (body: Answer['body']): number => Number(body['bookInfoId']);

async function registerTitle(client: ServiceClient, book: BookToRegister): Promise<Made> {
  const { barcodes, ...attributes } = book;
  const body = { ...attributes, copies: book.copies - barcodes.length };
  if (book.isbn === null) {
    const found = await findBook(client, book);
    if (found !== null) return { kind: 'there', bookInfoId: found };
    let bookInfoId = NaN;
    const registration = await registerOnce(client, CREATE, body, (made) => {
      bookInfoId = idOf(made);
      return `${PATH}/${bookInfoId}`;
    });
    return { ...registration, bookInfoId };
  }
  // The ISBN tells the title apart, for ever; so the answer should be today's and not a stored one.
  const answer = await together.create(client, body);
  if (textOf(answer, 'code') === 'ISBN_ALREADY_REGISTERED')
    return { kind: 'there', bookInfoId: idOf(answer.body) };
  return { kind: 'registered', bookInfoId: idOf(expected(answer, 201)) };
}

/** @throws Refused, or OpsError when the fault is not the row's. */
export async function registerBook(
  client: ServiceClient,
  book: BookToRegister,
): Promise<Registration> {
  const { kind, bookInfoId } = await registerTitle(client, book);
  const added = await addBarcodes(client, bookInfoId, book.barcodes);
  if (kind === 'registered' || added === 0) return { kind };
  return { kind, remark: `book ${bookInfoId} was there and got ${added} copies that it lacked` };
}
