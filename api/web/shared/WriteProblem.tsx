import { isWorthRepeating } from './problem';
import { ProblemNotice } from './ProblemNotice';
import type { Write } from './write';

/**
 * Shows why a write did not work. When it may have arrived, the same request is sent again, so that
 * it has one effect.
 */
export function WriteProblem<Input>({ write }: { readonly write: Write<Input, unknown> }) {
  const { error, variables, mutate } = write;
  if (!error) return null;
  const again = () => {
    mutate(variables);
  };
  return <ProblemNotice error={error} {...(isWorthRepeating(error) && { retry: again })} />;
}
