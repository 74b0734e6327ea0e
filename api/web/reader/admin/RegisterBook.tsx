import { Link } from 'wouter';
import { Field } from '../../shared/Field';
import { WriteForm } from '../../shared/WriteForm';
import { BookFields, bookTexts } from './BookFields';
import { attributesOf, useRegisterBook } from './writes';
import { adminTexts } from './texts';

export function RegisterBook() {
  const register = useRegisterBook();
  return (
    <section aria-label={adminTexts.register}>
      <h2>{adminTexts.register}</h2>
      <WriteForm
        write={register}
        read={(field) => ({ ...attributesOf(bookTexts(field)), copies: Number(field('copies')) })}
        label={adminTexts.register}
        button={adminTexts.register}
        done={({ bookInfoId, title }) => (
          <Link href={`/books/${bookInfoId}`}>{adminTexts.registered(title)}</Link>
        )}
      >
        <BookFields error={register.error}>
          <Field
            label={adminTexts.copies}
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
