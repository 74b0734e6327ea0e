import { Link } from 'wouter';
import { Field } from '../../shared/Field';
import { texts } from '../../shared/texts';
import { WriteForm } from '../../shared/WriteForm';
import { BookFields, bookTexts } from './BookFields';
import { attributesOf, useRegisterBook } from './writes';

export function RegisterBook() {
  const register = useRegisterBook();
  return (
    <section aria-label={texts.admin.register}>
      <h2>{texts.admin.register}</h2>
      <WriteForm
        write={register}
        read={(field) => ({ ...attributesOf(bookTexts(field)), copies: Number(field('copies')) })}
        label={texts.admin.register}
        button={texts.admin.register}
        done={({ bookInfoId, title }) => (
          <Link href={`/books/${bookInfoId}`}>{texts.admin.registered(title)}</Link>
        )}
      >
        <BookFields error={register.error}>
          <Field
            label={texts.admin.copies}
            name="copies"
            type="number"
            min={0}
            max={1000}
            defaultValue={1}
            required
            error={register.error}
          />
        </BookFields>
      </WriteForm>
    </section>
  );
}
