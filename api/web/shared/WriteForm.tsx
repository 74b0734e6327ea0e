import { useEffect, useRef, type ReactNode } from 'react';
import { fieldsOf } from './form';
import { newIntent, type Write } from './write';
import { WriteProblem } from './WriteProblem';

export interface WriteFormProps<Input, Data> {
  readonly write: Write<Input, Data>;
  /** Makes what is wanted of the fields; null when nothing is. */
  readonly read: (field: (name: string) => string) => Input | null;
  readonly label: string;
  readonly button: string;
  /** Says what was made. */
  readonly done: (made: NonNullable<Write<Input, Data>['data']>) => ReactNode;
  /** The fields stay as they are, for they show what is there. */
  readonly keeps?: boolean;
  readonly children?: ReactNode;
}

/** A form that sends one write: once, while that is under way. */
export function WriteForm<Input, Data>({
  write,
  read,
  label,
  button,
  done,
  keeps = false,
  children,
}: WriteFormProps<Input, Data>) {
  const { isSuccess, data, isPending, mutate } = write;
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (isSuccess && !keeps) form.current?.reset();
  }, [isSuccess, keeps]);
  return (
    <form
      ref={form}
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        const input = read(fieldsOf(event.currentTarget));
        if (!isPending && input !== null) mutate(newIntent(input));
      }}
    >
      {children}
      <WriteProblem write={write} />
      <button aria-busy={isPending} aria-disabled={isPending}>
        {button}
      </button>
      <p role="status">{data !== undefined && data !== null && done(data)}</p>
    </form>
  );
}
