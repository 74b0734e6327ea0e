import { endingOf } from '../../../shared/database/ending';
import type { Disk } from './disk';
import type { SentCommand } from './sent-command';

/** Everything that is wrong at the end, when nothing is under way any more. */
export function wrongAtEnd(disk: Disk, sent: readonly SentCommand[]): string[] {
  const outcomes = new Map(
    disk
      .rows('SELECT command_id, ending FROM command_outcome')
      .map(({ command_id: id, ending }) => [id, ending as string]),
  );
  const effects = disk.rows(
    'SELECT seq, stock_id, version, command_id, delta FROM effect ORDER BY seq',
  );
  const wrong = disk
    .rows('SELECT 1 AS one FROM dead_letter')
    .map(() => 'a fault of the disk made a dead letter');
  for (const one of sent) {
    const { commandId, type } = one.command;
    const problem = problemOf(
      one,
      outcomes.get(commandId),
      effects.filter(({ command_id: id }) => id === commandId).length,
    );
    if (problem) wrong.push(`${type} ${commandId.slice(-3)}, ${one.state}: ${problem}`);
  }
  for (const { id, quantity, version } of disk.rows('SELECT id, quantity, version FROM stock')) {
    const changes = effects.filter(({ stock_id: of }) => of === id);
    const sum = changes.reduce((total, { delta }) => total + Number(delta), 0);
    const inChain = changes.every((change, index) => change['version'] === index + 1);
    if (quantity !== sum || version !== changes.length || !inChain)
      wrong.push(
        `${String(id)} has ${String(quantity)} at version ${String(version)}; its ${changes.length} effects make ${sum}`,
      );
    const places = changes
      .map(({ command_id: of }) => placeOf(sent, of, id))
      .filter((place) => place > 0);
    if (places.some((place, index) => place < (places[index - 1] ?? 0)))
      wrong.push(
        `commands of ${String(id)} took effect in another order than they were promised in`,
      );
  }
  return wrong;
}

/** Forwarded commands come by another partition, so that nothing is known of their order. */
function placeOf(sent: readonly SentCommand[], commandId: unknown, key: unknown): number {
  const one = sent.find(({ command }) => command.commandId === commandId);
  return one?.command.key === key && !one?.perhaps ? (one?.place ?? 0) : 0;
}

function problemOf(
  { state, answers }: SentCommand,
  text: string | undefined,
  effects: number,
): string | null {
  if (text === undefined)
    return state === 'promised'
      ? 'it never ended'
      : effects > 0
        ? 'it had an effect without an outcome'
        : null;
  if (state === 'refused') return 'it was refused, and stored';
  const ending = endingOf(text);
  if (effects !== (ending.status === 'succeeded' ? 1 : 0))
    return `it ${ending.status} with ${effects} effects`;
  return answers.every((answer) => JSON.stringify(answer.ending) === JSON.stringify(ending))
    ? null
    : `it was answered ${JSON.stringify(answers)}, and its outcome is ${text}`;
}
