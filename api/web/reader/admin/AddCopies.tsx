import { Field } from '../../shared/Field';
import { texts } from '../../shared/texts';
import { WriteForm } from '../../shared/WriteForm';
import { useAddCopies } from './writes';

export function AddCopies({ bookInfoId }: { readonly bookInfoId: number }) {
  const add = useAddCopies(bookInfoId);
  return (
    <details>
      <summary>{texts.admin.addCopies}</summary>
      <WriteForm
        write={add}
        read={(field) => Number(field('count'))}
        label={texts.admin.addCopies}
        button={texts.admin.add}
        done={({ addedCount }) => texts.admin.added(addedCount)}
      >
        <Field
          label={texts.admin.count}
          name="count"
          type="number"
          min={1}
          max={1000}
          defaultValue={1}
          required
          error={add.error}
        />
      </WriteForm>
    </details>
  );
}
