import { Refusal } from './refusal.ts';
import type { Problem, Result } from './types.ts';

/** The value of a result. @throws Refusal */
export function valueOf<Value>(result: Result<Value, unknown>): Value {
  if (result.ok) return result.value;
  throw new Refusal(result.problem as Problem);
}
