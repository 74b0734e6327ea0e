import { useId, type ChangeEvent, type ComponentProps } from 'react';
import { faultOf } from './problem';

interface FieldProps extends Omit<ComponentProps<'input'>, 'name' | 'value'> {
  readonly label: string;
  /** As the API calls it. */
  readonly name: string;
  /** Of the last try to send the form; what it says of this field stands beside it. */
  readonly error: unknown;
  readonly isLong?: boolean;
  /** Where what is typed is kept elsewhere. */
  readonly value?: string;
  readonly keep?: (typed: string) => void;
}

/** A field of a form. It keeps what is typed itself, unless a value is given. */
export function Field({ label, error, isLong = false, value, keep, ...input }: FieldProps) {
  const id = useId();
  const fault = faultOf(error, input.name);
  const given = {
    'aria-invalid': fault ? true : undefined,
    'aria-describedby': fault ? id : input['aria-describedby'],
  };
  const change = ({ currentTarget }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
    keep?.(currentTarget.value);
  };
  return (
    <label>
      {label}
      {isLong ? (
        <textarea
          name={input.name}
          required={input.required}
          maxLength={input.maxLength}
          rows={12}
          {...(value !== undefined && { value, onChange: change })}
          {...given}
        />
      ) : (
        <input {...input} {...(value !== undefined && { value, onChange: change })} {...given} />
      )}
      {fault && <small id={id}>{fault}</small>}
    </label>
  );
}
