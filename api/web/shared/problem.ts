import { NoAnswer, Refusal, type Problem } from '@lendline/client';
import { Offline } from './connection';
import { language } from './format';
import { texts } from './texts';

/** Explains why something did not work. */

export const problemOf = (error: unknown): Problem | null =>
  error instanceof Refusal ? error.problem : null;

/** Nothing was sent, for there is no connection. */
export const isOffline = (error: unknown): boolean =>
  error instanceof NoAnswer && error.cause instanceof Offline;

/** Too many requests; not available now. */
const LATER: readonly number[] = [429, 503];

/**
 * Returns whether the same request may succeed when it is sent again: no answer came, or the
 * service has said so.
 */
export const isWorthRepeating = (error: unknown): boolean =>
  error instanceof Refusal ? LATER.includes(error.problem.status) : !isOffline(error);

type Fault = NonNullable<Problem['errors']>[number];

const saidFault = ({ code, message }: Fault): string => texts.faults[code] ?? message;

/** Returns the fault of one field of a form. */
export function faultOf(error: unknown, field: string): string | undefined {
  const fault = problemOf(error)?.errors?.find((each) => each.field === field);
  return fault && saidFault(fault);
}

/** Returns the faults of all fields, for operators. The service speaks English, and names them. */
export const saidFaults = (problem: Problem): readonly string[] =>
  problem.errors?.map((fault) =>
    language === 'en' ? fault.message : `${fault.field}: ${saidFault(fault)}`,
  ) ?? [];

/** Returns the text for an operator: the service's own words, which say most. */
export const saidToOperator = (problem: Problem): string =>
  language === 'en' ? problem.detail : saidProblem(problem);

/** Returns a problem in the words of the pages, or else in its own. */
export const saidProblem = ({ code, detail }: Problem): string => texts.problems[code] ?? detail;
