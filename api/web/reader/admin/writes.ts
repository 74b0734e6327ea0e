import { client, type Schemas } from '../../shared/client';
import { useWrite, type WriteHeaders } from '../../shared/write';
import type { operations } from '../../shared/generated/api';

/** What administrators do with the catalogue. */

type Body<Name extends 'registerTitle' | 'updateTitle'> =
  operations[Name]['requestBody']['content']['application/json'];
export type NewBook = Body<'registerTitle'>;
export type BookChanges = Body<'updateTitle'>;

/** Refuses an ISBN that is there already, rather than adding to the stock of that title. */
export const registerBook = (body: NewBook, header: WriteHeaders) =>
  client.POST('/api/book-infos', { params: { header, query: { onDuplicate: 'reject' } }, body });

export const useRegisterBook = () => useWrite(registerBook);

export const useChangeBook = (bookInfoId: number) =>
  useWrite((body: BookChanges, header) =>
    client.PATCH('/api/book-infos/{bookInfoId}', {
      params: { header, path: { bookInfoId } },
      body,
    }),
  );

export const useAddCopies = (bookInfoId: number) =>
  useWrite((count: number, header) =>
    client.POST('/api/book-infos/{bookInfoId}/books', {
      params: { header, path: { bookInfoId } },
      body: { count },
    }),
  );

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
