import type { RawAnswer } from './transport.ts';
import type { Problem } from './types.ts';

/** How the service refuses. */

/** The service has refused. `request` returns refusals; lists, streams and `valueOf` throw them. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

/** The problem that an answer carries, null when it carries none. */
export function problemIn({ headers, text }: RawAnswer): Problem | null {
  if (!headers.get('Content-Type')?.startsWith('application/problem+json')) return null;
  return JSON.parse(text) as Problem;
}
