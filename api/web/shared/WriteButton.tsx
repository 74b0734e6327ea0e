import { newIntent, type Write } from './write';

export interface WriteButtonProps<Input> {
  readonly write: Write<Input, unknown>;
  readonly input: Input;
  /** What it does, and to what when several of the kind are on the page. */
  readonly label: string;
  readonly name?: string;
  readonly isSecondary?: boolean;
  /** In a list, where the same stands in every line. */
  readonly isSmall?: boolean;
}

/**
 * Starts a write, once: while that is under way it is busy and keeps the focus, which a disabled
 * button would lose. When the answer has made another write of it, that can be started before all
 * of the page is up to date.
 */
export function WriteButton<Input>({
  write,
  input,
  label,
  name = label,
  isSecondary = false,
  isSmall = false,
}: WriteButtonProps<Input>) {
  const isMine = write.isPending && JSON.stringify(write.variables.input) === JSON.stringify(input);
  return (
    <button
      type="button"
      className={`${isSecondary ? 'secondary' : ''} ${isSmall ? 'small' : ''}`}
      aria-label={name}
      aria-busy={isMine}
      aria-disabled={isMine}
      onClick={({ detail }) => {
        // The second click of a double click may meet what the first one has brought.
        if (!isMine && detail <= 1) write.mutate(newIntent(input));
      }}
    >
      {label}
    </button>
  );
}
