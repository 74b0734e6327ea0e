import { isWorthRepeating } from './problem';
import { ProblemNotice } from './ProblemNotice';
import type { Write } from './write';

/**
 * Why a write did not work. Where it may have arrived, the very same is sent again, and so has one
 * effect.
 */
export function WriteProblem<Input>({ write }: { readonly write: Write<Input, unknown> }) {
  const { error, variables, mutate } = write;
  if (!error) return null;
  const again = () => {
    mutate(variables);
  };
  return <ProblemNotice error={error} {...(isWorthRepeating(error) && { retry: again })} />;
}
