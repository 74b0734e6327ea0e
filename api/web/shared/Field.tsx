import { useId, type ChangeEvent, type ComponentProps } from 'react';
import { faultOf } from './problem';

interface FieldProps extends Omit<ComponentProps<'input'>, 'name' | 'value'> {
  readonly label: string;
  /** The name of the field in the API. */
  readonly name: string;
  /**
   * The error of the last attempt to send the form. The fault of this field is displayed beside it.
   */
  readonly error: unknown;
  readonly isLong?: boolean;
  /** The value, when it is kept elsewhere. */
  readonly value?: string;
  readonly keep?: (typed: string) => void;
}

/** Shows a field of a form. It keeps its own value unless one is given. */
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
