import { useId, type ComponentProps } from 'react';
import { faultOf } from './problem';

interface FieldProps extends Omit<ComponentProps<'input'>, 'name'> {
  readonly label: string;
  /** As the API calls it. */
  readonly name: string;
  /** Of the last try to send the form; what it says of this field stands beside it. */
  readonly error: unknown;
  readonly isLong?: boolean;
}

/** A field of a form. It keeps what is typed itself. */
export function Field({ label, error, isLong = false, ...input }: FieldProps) {
  const id = useId();
  const fault = faultOf(error, input.name);
  const given = {
    'aria-invalid': fault ? true : undefined,
    'aria-describedby': fault ? id : undefined,
  };
  return (
    <label>
      {label}
      {isLong ? (
        <textarea
          name={input.name}
          required={input.required}
          maxLength={input.maxLength}
          rows={8}
          {...given}
        />
      ) : (
        <input {...input} {...given} />
      )}
      {fault && <small id={id}>{fault}</small>}
    </label>
  );
}
