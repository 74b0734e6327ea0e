import { randomUUID } from 'node:crypto';
import type { Response } from 'supertest';
import { Service, type Reader } from './requests';
import { target, type Target } from '../service/target';

/** What contract tests of library lending do again and again, and the shapes that they expect. */

export interface BookInfo {
  readonly bookInfoId: number;
  readonly title: string;
  readonly author: string;
  readonly authorId: number;
  readonly isbn: string | null;
  readonly publicationDate: string | null;
  readonly bookImg: string | null;
  readonly totalStock: number;
  readonly availableStock: number;
  readonly version: number;
  readonly createdAt: string;
  readonly modifiedAt: string;
}

export interface Borrow {
  readonly borrowId: number;
  readonly userId: number;
  readonly username: string;
  readonly bookInfoId: number;
  readonly bookId: number;
  readonly title: string;
  readonly borrowedAt: string;
  readonly dueAt: string;
  readonly returnedAt: string | null;
  readonly renewalCount: number;
  readonly overdue: boolean;
  readonly status: string;
}

interface Copy {
  readonly bookId: number;
  readonly bookInfoId: number;
  readonly available: boolean;
  readonly status: string;
  readonly kind: string;
  readonly barcode: string | null;
}

interface Copies {
  readonly items: Copy[];
  readonly totalStock: number;
  readonly availableStock: number;
}

export const BOOK_INFO_KEYS = [
  ...['bookInfoId', 'title', 'author', 'authorId', 'isbn', 'publicationDate', 'bookImg'],
  ...['totalStock', 'availableStock', 'version', 'createdAt', 'modifiedAt'],
];
export const COPY_KEYS = ['bookId', 'bookInfoId', 'available', 'status', 'kind', 'barcode'];
export const BORROW_KEYS = [
  ...['borrowId', 'userId', 'username', 'bookInfoId', 'bookId', 'title', 'borrowedAt', 'dueAt'],
  ...['returnedAt', 'renewalCount', 'overdue', 'status'],
];
export const HOLD_KEYS = [
  ...['holdId', 'userId', 'username', 'bookInfoId', 'title', 'status', 'position'],
  ...['bookId', 'placedAt', 'readyAt', 'expiresAt', 'closedAt'],
];
export const LIST_KEYS = ['items', 'page', 'size', 'totalItems', 'totalPages'];

/** How far a worker's knowledge of the database's clock may be off, milliseconds. */
export const CLOCK_MS = 1000;

/** RFC 3339, UTC, with milliseconds. */
export const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The object has exactly these members, in any order. */
export function expectKeys(body: object, keys: readonly string[]): void {
  expect(Object.keys(body).sort()).toEqual([...keys].sort());
}

/** Returns a word that no other test uses. */
export const uniqueWord = (): string => `w${randomUUID().replaceAll('-', '')}`;

let lastNumber = 0;
/** Returns digits that no other test has: a millisecond of its own, and the Jest worker's id. */
function uniqueDigits(count: number): string {
  lastNumber = Math.max(lastNumber + 1, Date.now());
  return `${lastNumber}${process.env.JEST_WORKER_ID ?? 0}`.slice(-count);
}

/** Returns an ISBN-13 with a right check digit; `start` is 978 or 979 and what must follow it. */
export function newIsbn13(start = '978'): string {
  const first = start + uniqueDigits(12 - start.length);
  const sum = Array.from(first).reduce(
    (total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3),
    0,
  );
  return `${first}${(10 - (sum % 10)) % 10}`;
}

/** Returns the ISBN-10 of an ISBN-13 that begins with 978. */
export function isbn10Of(isbn13: string): string {
  const nine = isbn13.slice(3, 12);
  const sum = Array.from(nine).reduce(
    (total, digit, index) => total + Number(digit) * (10 - index),
    0,
  );
  return nine + '0123456789X'.charAt((11 - (sum % 11)) % 11);
}

/** Returns an ISBN-13 whose ISBN-10 ends in X. */
export function newIsbn13OfX(): string {
  for (;;) {
    const isbn13 = newIsbn13();
    if (isbn10Of(isbn13).endsWith('X')) return isbn13;
  }
}

/** The same with a check digit that is wrong. */
export const withWrongDigit = (isbn: string): string =>
  isbn.slice(0, -1) + (isbn.endsWith('0') ? '1' : '0');

/**
 * A library service, seen from outside. Methods in the past tense fail unless the call succeeds.
 */
export class Library extends Service {
  /** Returns a new title, with an ISBN and all other attributes unless they are overridden. */
  async registered(fields: Readonly<Record<string, unknown>> = {}): Promise<BookInfo> {
    const word = uniqueWord();
    const full = {
      title: `Title ${word}`,
      author: `Author ${word}`,
      isbn: newIsbn13(),
      publicationDate: '1999-12-31',
      bookImg: `https://img.example/${word}.jpg`,
    };
    return succeeded(await this.manage('post', '/api/book-infos', { ...full, ...fields }), 201);
  }

  async detail(bookInfoId: number): Promise<BookInfo> {
    return succeeded(await this.call('get', `/api/book-infos/${bookInfoId}`), 200);
  }

  /** Returns the copies of a title, at most 100. */
  async copies(bookInfoId: number): Promise<Copies> {
    return succeeded(await this.call('get', `/api/book-infos/${bookInfoId}/books?size=100`), 200);
  }

  async copyIds(bookInfoId: number): Promise<number[]> {
    return (await this.copies(bookInfoId)).items.map(({ bookId }) => bookId);
  }

  /** Returns a new title with one copy, and that copy's id. */
  async single(): Promise<{ bookInfoId: number; bookId: number }> {
    const { bookInfoId } = await this.registered({ copies: 1 });
    const [bookId = 0] = await this.copyIds(bookInfoId);
    return { bookInfoId, bookId };
  }

  async borrow({ token }: Reader, body: unknown): Promise<Response> {
    return this.call('post', '/api/borrows', { token, body });
  }

  async borrowed(reader: Reader, body: unknown): Promise<Borrow> {
    return succeeded(await this.borrow(reader, body), 201);
  }

  async giveBack({ token }: Reader, body: unknown): Promise<Response> {
    return this.call('post', '/api/returns', { token, body });
  }

  async returned(reader: Reader, body: unknown): Promise<Borrow> {
    return succeeded(await this.giveBack(reader, body), 200);
  }

  async renew({ token }: Reader, borrowId: number): Promise<Response> {
    return this.call('post', `/api/borrows/${borrowId}/renewals`, { token });
  }

  async placeHold({ token }: Reader, bookInfoId: number): Promise<Response> {
    return this.call('post', `/api/book-infos/${bookInfoId}/holds`, { token });
  }

  async cancelHold({ token }: Reader, holdId: number): Promise<Response> {
    return this.call('delete', `/api/holds/${holdId}`, { token });
  }

  async histories({ token }: Reader, query = ''): Promise<Response> {
    return this.call('get', `/api/borrow-histories${query}`, { token });
  }

  async setCopyStatus(
    { bookInfoId, bookId }: { bookInfoId: number; bookId: number },
    status: string,
  ): Promise<Response> {
    return this.manage('patch', `/api/book-infos/${bookInfoId}/books/${bookId}`, { status });
  }
}

/** Returns the body of an answer that must have this status. */
export function succeeded(response: Response, status: number): Response['body'] {
  expect({ status: response.status, body: response.body }).toEqual({ status, body: response.body });
  return response.body;
}

export async function openLibrary(at?: Target): Promise<Library> {
  return new Library(at ?? (await target()));
}
