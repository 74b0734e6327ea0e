import type { Ending, Envelope, Outcome } from '../../../shared/command';
import { endingOf, endingText } from '../../../shared/database/ending';
import { subjectColumns } from '../../../shared/database/subjects';
import { instant, placeholders } from '../sql/statements';
import type { Row, Statement } from '../sql/transaction';

/** The outcome of a command that ended now. */
export function outcomeFor(
  { commandId, type, actor, requestId, createdAt }: Envelope,
  ending: Ending,
  now: Date,
): Outcome {
  return {
    commandId,
    type,
    ownerId: actor.userId,
    requestId,
    createdAt,
    completedAt: now.getTime(),
    ending,
  };
}

/** What is kept with an outcome, beside itself. */
interface Kept {
  /** Of the command. */
  readonly key: string;
  /**
   * Cache subjects whose views the command changed: nobody knows whether its worker lives to tell
   * the cache.
   */
  readonly subjects?: readonly string[] | undefined;
  /**
   * When it came out of its queue, and when it was decided, milliseconds since 1970; null when
   * nothing decided it.
   */
  readonly takenAt: number | null;
  readonly decidedAt: number | null;
  /** Who decided it; null when nobody did. */
  readonly worker: string | null;
}

/** An outcome as its table keeps it. */
export function outcomeRow(
  { commandId, type, ownerId, requestId, createdAt, completedAt, ending }: Outcome,
  { key, subjects = [], takenAt, decidedAt, worker }: Kept,
) {
  return {
    commandId,
    type,
    ownerId,
    requestId,
    ending: endingText(ending),
    ...subjectColumns(subjects),
    createdAt: new Date(createdAt),
    completedAt: new Date(completedAt),
    aggregateKey: key,
    takenMs: takenAt && Math.max(0, takenAt - createdAt),
    decidedMs: decidedAt && Math.max(0, decidedAt - createdAt),
    worker,
  };
}

/** Reads the outcomes that commands had before. */
export function knownOutcomes(envelopes: readonly Envelope[]): Statement {
  const columns =
    'command_id, type, owner_id, request_id, ending, subjects, long_subjects, created_at, completed_at';
  return {
    sql: `SELECT ${columns} FROM command_outcome WHERE command_id IN (${placeholders(envelopes.length)})`,
    values: envelopes.map(({ commandId }) => commandId),
  };
}

export function outcomeOf(row: Row): Outcome {
  return {
    commandId: row.command_id as string,
    type: row.type as string,
    ownerId: row.owner_id === null ? null : Number(row.owner_id),
    requestId: row.request_id as string,
    createdAt: instant(row.created_at).getTime(),
    completedAt: instant(row.completed_at).getTime(),
    ending: endingOf(row.ending as string),
  };
}
