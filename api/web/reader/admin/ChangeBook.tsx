import { changesOf } from '../../shared/changes';
import { WriteForm } from '../../shared/WriteForm';
import type { BookInfo } from '../books/queries';
import { BookFields, bookTexts } from './BookFields';
import { attributesOf, textsOf, useChangeBook } from './writes';
import { adminTexts } from './texts';

export function ChangeBook({ book }: { readonly book: BookInfo }) {
  const change = useChangeBook(book.bookInfoId);
  return (
    <details>
      <summary>{adminTexts.change}</summary>
      <WriteForm
        write={change}
        read={(field) => changesOf(attributesOf(textsOf(book)), attributesOf(bookTexts(field)))}
        label={adminTexts.change}
        button={adminTexts.save}
        done={() => adminTexts.saved}
        keeps
      >
        <BookFields key={book.version} error={change.error} given={textsOf(book)} />
      </WriteForm>
    </details>
  );
}
