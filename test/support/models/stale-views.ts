import assert from 'node:assert/strict';
import type { Envelope } from '../../../shared/command';
import { subjectsOf, type CachedViews } from '../../../workers/batch/service/cached-views';
import type { Decision } from '../../../workers/batch/service/decision';

/**
 * Asserts that a command which comes again invalidates all that it changed. `changed` is a state
 * that has its changes and no others.
 */
export function assertInvalidatedAgain<State, Command extends Envelope>(
  views: CachedViews<State, Command>,
  changed: State,
  command: Command,
  decision: Decision,
): void {
  if (decision.kind !== 'done') return;
  const { result, subjects = [] } = decision;
  const text = result === null ? null : JSON.stringify(result);
  const again = [...subjectsOf(views, command, text), ...subjects];
  const forgotten = views.changed(changed).filter((subject) => !again.includes(subject));
  assert(
    forgotten.length === 0,
    `${command.type} changes ${forgotten.join(', ')}, which its entry in subjects.ts lacks`,
  );
}
