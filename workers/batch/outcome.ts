import type { Ending, Envelope, Outcome } from '../../shared/command';
import { instant } from './statements';
import type { Row } from './transaction';

/** The outcome of a command that ended now. */
export function outcomeFor({ commandId, type, actor, requestId, createdAt }: Envelope, ending: Ending, now: Date): Outcome {
  return { commandId, type, ownerId: actor.userId, requestId, createdAt, completedAt: now.getTime(), ending };
}

/** An outcome as its table keeps it. */
export function outcomeRow(outcome: Outcome) {
  return { ...outcome, ending: JSON.stringify(outcome.ending), createdAt: new Date(outcome.createdAt), completedAt: new Date(outcome.completedAt) };
}

export function outcomeOf(row: Row): Outcome {
  return {
    commandId: row.command_id as string,
    type: row.type as string,
    ownerId: row.owner_id === null ? null : Number(row.owner_id),
    requestId: row.request_id as string,
    createdAt: instant(row.created_at).getTime(),
    completedAt: instant(row.completed_at).getTime(),
    ending: JSON.parse(row.ending as string) as Ending,
  };
}
