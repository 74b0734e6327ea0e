import { changesOf } from '../../shared/changes';
import { texts } from '../../shared/texts';
import { WriteForm } from '../../shared/WriteForm';
import type { BookInfo } from '../books/queries';
import { BookFields, bookTexts } from './BookFields';
import { attributesOf, textsOf, useChangeBook } from './writes';

export function ChangeBook({ book }: { readonly book: BookInfo }) {
  const change = useChangeBook(book.bookInfoId);
  return (
    <details>
      <summary>{texts.admin.change}</summary>
      <WriteForm
        write={change}
        read={(field) => changesOf(attributesOf(textsOf(book)), attributesOf(bookTexts(field)))}
        label={texts.admin.change}
        button={texts.admin.save}
        done={() => texts.admin.saved}
        keeps
      >
        <BookFields key={book.version} error={change.error} given={textsOf(book)} />
      </WriteForm>
    </details>
  );
}
