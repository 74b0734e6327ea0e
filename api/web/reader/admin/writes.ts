import { client, type CallOptions, type Schemas } from '../../shared/client';
import { useWrite } from '../../shared/write';

/** What administrators do with the catalogue. */

export type NewBook = Parameters<typeof client.books.create>[0];
export type BookChanges = Parameters<typeof client.books.update>[1];

/** Refuses an ISBN that exists, instead of adding copies to its title. */
export const registerBook = (body: NewBook, options: CallOptions) =>
  client.request('POST', '/api/book-infos', {
    ...options,
    query: { onDuplicate: 'reject' },
    body,
  });

export const useRegisterBook = () => useWrite(registerBook);

export const useChangeBook = (bookInfoId: number) =>
  useWrite((body: BookChanges, options) => client.books.update(bookInfoId, body, options));

export const useAddCopies = (bookInfoId: number) =>
  useWrite((count: number, options) => client.copies.add(bookInfoId, { count }, options));

/** The attributes of a title as texts of a form. */
export type BookTexts = Readonly<
  Record<'title' | 'author' | 'isbn' | 'publicationDate' | 'bookImg', string>
>;

export const textsOf = ({
  title,
  author,
  isbn,
  publicationDate,
  bookImg,
}: Schemas['BookInfo']): BookTexts => ({
  ...{
    title,
    author,
    isbn: isbn ?? '',
    publicationDate: publicationDate ?? '',
    bookImg: bookImg ?? '',
  },
});

/**
 * What an empty field means: that there is none, but for title and author, which the service then
 * asks for.
 */
export const attributesOf = ({
  title,
  author,
  isbn,
  publicationDate,
  bookImg,
}: BookTexts): NewBook => ({
  ...{
    title,
    author,
    isbn: isbn || null,
    publicationDate: publicationDate || null,
    bookImg: bookImg || null,
  },
});
