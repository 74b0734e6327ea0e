import { useEffect, useRef, type ReactNode } from 'react';
import { fieldsOf } from './form';
import { newIntent, type Write } from './write';
import { WriteProblem } from './WriteProblem';

export interface WriteFormProps<Input, Data> {
  readonly write: Write<Input, Data>;
  /** Reads the input from the fields; null when there is none. */
  readonly read: (field: (name: string) => string) => Input | null;
  readonly label: string;
  readonly button: string;
  /** Says what was made. */
  readonly done: (made: NonNullable<Write<Input, Data>['data']>) => ReactNode;
  /** Keeps the fields, because they display existing values. */
  readonly keeps?: boolean;
  /** Another button beside the one that sends. */
  readonly beside?: ReactNode;
  readonly children?: ReactNode;
}

/** Shows a form that sends one write at a time. */
export function WriteForm<Input, Data>({
  write,
  read,
  label,
  button,
  done,
  keeps = false,
  beside,
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
      {beside}
      <p role="status">{data !== undefined && data !== null && done(data)}</p>
    </form>
  );
}
