import type { ReactNode } from 'react';
import { Field } from '../../shared/Field';
import type { BookTexts } from './writes';
import { adminTexts } from './texts';

/** The attributes of a title, for a new one and for one that changes. */
export function BookFields({
  error,
  given,
  children,
}: {
  readonly error: unknown;
  readonly given?: BookTexts;
  readonly children?: ReactNode;
}) {
  return (
    <div className="fields">
      <Field
        label={adminTexts.title}
        name="title"
        required
        maxLength={255}
        defaultValue={given?.title}
        error={error}
      />
      <Field
        label={adminTexts.author}
        name="author"
        required
        maxLength={255}
        defaultValue={given?.author}
        error={error}
      />
      <Field label={adminTexts.isbn} name="isbn" defaultValue={given?.isbn} error={error} />
      <Field
        label={adminTexts.publicationDate}
        name="publicationDate"
        type="date"
        defaultValue={given?.publicationDate}
        error={error}
      />
      <Field
        label={adminTexts.bookImg}
        name="bookImg"
        type="url"
        maxLength={255}
        defaultValue={given?.bookImg}
        error={error}
      />
      {children}
    </div>
  );
}

/** What stands in those fields. */
export const bookTexts = (field: (name: string) => string): BookTexts => ({
  ...{
    title: field('title'),
    author: field('author'),
    isbn: field('isbn'),
    publicationDate: field('publicationDate'),
    bookImg: field('bookImg'),
  },
});
