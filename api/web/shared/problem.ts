import type { components } from './generated/api';

/** Why something did not work, as people are told. */

export type Problem = components['schemas']['Problem'];

/** The service has answered with a problem. */
export class Refused extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

export const problemOf = (error: unknown): Problem | null =>
  error instanceof Refused ? error.problem : null;

/** Too many requests; not available now. */
const LATER: readonly number[] = [429, 503];

/**
 * Whether the same request may do better when it is sent again: no answer came, or the service has
 * said so.
 */
export const isWorthRepeating = (error: unknown): boolean =>
  !(error instanceof Refused) || LATER.includes(error.problem.status);

/** What is wrong with one field of a form. */
export const faultOf = (error: unknown, field: string): string | undefined =>
  problemOf(error)?.errors?.find((fault) => fault.field === field)?.message;
