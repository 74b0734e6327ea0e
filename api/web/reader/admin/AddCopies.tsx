import { Field } from '../../shared/Field';
import { WriteForm } from '../../shared/WriteForm';
import { useAddCopies } from './writes';
import { adminTexts } from './texts';

export function AddCopies({ bookInfoId }: { readonly bookInfoId: number }) {
  const add = useAddCopies(bookInfoId);
  return (
    <details>
      <summary>{adminTexts.addCopies}</summary>
      <WriteForm
        write={add}
        read={(field) => Number(field('count'))}
        label={adminTexts.addCopies}
        button={adminTexts.add}
        done={({ addedCount }) => adminTexts.added(addedCount)}
      >
        <Field
          label={adminTexts.count}
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
