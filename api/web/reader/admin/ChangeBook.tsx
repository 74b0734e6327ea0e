import { texts } from '../../shared/texts';
import { WriteForm } from '../../shared/WriteForm';
import type { BookInfo } from '../books/queries';
import { BookFields, bookTexts } from './BookFields';
import { attributesOf, textsOf, useChangeBook, type BookChanges } from './writes';

/** What differs from the title as it was shown: what others change meanwhile stays. */
function changesOf(shown: BookInfo, field: (name: string) => string): BookChanges | null {
  const before = attributesOf(textsOf(shown));
  const changes = Object.entries(attributesOf(bookTexts(field))).filter(
    ([name, value]) => value !== before[name as keyof typeof before],
  );
  return changes.length > 0 ? Object.fromEntries(changes) : null;
}

export function ChangeBook({ book }: { readonly book: BookInfo }) {
  const change = useChangeBook(book.bookInfoId);
  return (
    <details>
      <summary>{texts.admin.change}</summary>
      <WriteForm
        write={change}
        read={(field) => changesOf(book, field)}
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
