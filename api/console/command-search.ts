import { Op } from 'sequelize';
import { endingOf } from '../../shared/database/ending';
import { earlierFailures } from '../../shared/database/dead-letters';
import { DeadLetter } from '../../shared/database/dead-letter-tables';
import { CommandOutcome, CommandTimeline } from '../../shared/database/tables';

/**
 * Finds commands that have ended, the newest first: ids are in the order of time, so every index
 * that ends with the id serves.
 */

/** An attempt to carry a command out that failed, or that was not made. */
export interface CommandFailure {
  readonly failedAt: string;
  readonly reason: string;
  /** It came behind a dead letter of its aggregate, and was not tried. */
  readonly parked: boolean;
  /** When the client got its answer, of the first failure. Null for later ones, or when unknown. */
  readonly answeredAt: string | null;
}

/** A command and its timeline. An instant is null when it is not known: see `timelines.ts`. */
export interface CommandTrack {
  readonly commandId: string;
  readonly type: string;
  readonly status: 'queued' | 'succeeded' | 'failed';
  /** Of the refusal, as its detail. */
  readonly code: string | null;
  readonly detail: string | null;
  readonly userId: number | null;
  readonly aggregate: string | null;
  readonly requestId: string | null;
  readonly receivedAt: string;
  readonly confirmedAt: string | null;
  readonly takenAt: string | null;
  readonly decidedAt: string | null;
  readonly committedAt: string | null;
  readonly answeredAt: string | null;
  /** The API that received it, and the worker that decided it. */
  readonly api: string | null;
  readonly worker: string | null;
  /**
   * Earliest first. When there is one, the instants from `takenAt` on are those of the last
   * attempt.
   */
  readonly failures: readonly CommandFailure[];
}

export interface CommandFilters {
  readonly id?: string;
  readonly userId?: number;
  readonly aggregate?: string;
  /** Only commands before this one. */
  readonly before?: string;
  readonly size: number;
}

export interface FoundCommands {
  readonly items: readonly CommandTrack[];
  /** The `before` of the next page; null on the last one. */
  readonly next: string | null;
}

export async function searchCommands({
  id,
  userId,
  aggregate,
  before,
  size,
}: CommandFilters): Promise<FoundCommands> {
  const where = {
    ...(userId !== undefined && { ownerId: userId }),
    ...(aggregate !== undefined && { aggregateKey: aggregate }),
    ...((id !== undefined || before !== undefined) && {
      commandId: {
        ...(id !== undefined && { [Op.eq]: id }),
        ...(before !== undefined && { [Op.lt]: before }),
      },
    }),
  };
  const rows = await CommandOutcome.findAll({
    where,
    order: [['commandId', 'DESC']],
    limit: size + 1,
  });
  const found = rows.slice(0, size);
  const commandId = found.map((row) => row.commandId);
  const timelines = new Map(
    (await CommandTimeline.findAll({ where: { commandId } })).map((timeline) => [
      timeline.commandId,
      timeline,
    ]),
  );
  const failures = await failuresOf(commandId);
  return {
    items: found.map((row) =>
      trackOf(row, timelines.get(row.commandId), failures.get(row.commandId) ?? []),
    ),
    next: rows.length > size ? (found.at(-1)?.commandId ?? null) : null,
  };
}

type Failure = Omit<CommandFailure, 'answeredAt'>;

/** Returns the failures of replayed commands, and of present dead letters. */
async function failuresOf(commandIds: readonly string[]): Promise<Map<string, Failure[]>> {
  const earlier = await earlierFailures(commandIds);
  const letters = await DeadLetter.findAll({
    where: { commandId: [...commandIds] },
    attributes: ['commandId', 'reason', 'parked', 'deadAt'],
  });
  const failures = new Map(
    [...earlier].map(([id, rows]) => [id, rows.map((row) => failureOf(row, row.failedAt))]),
  );
  for (const letter of letters)
    failures.set(letter.commandId, [
      ...(failures.get(letter.commandId) ?? []),
      failureOf(letter, letter.deadAt),
    ]);
  return failures;
}

const failureOf = (
  { reason, parked }: Pick<DeadLetter, 'reason' | 'parked'>,
  failedAt: Date,
): Failure => ({ failedAt: failedAt.toISOString(), reason, parked: Boolean(parked) });

function trackOf(
  row: CommandOutcome,
  timeline: CommandTimeline | undefined,
  failures: readonly Failure[],
): CommandTrack {
  const { commandId, type, ownerId, requestId, createdAt, aggregateKey } = row;
  const after = (ms: number | null | undefined) =>
    typeof ms === 'number' ? new Date(createdAt.getTime() + ms).toISOString() : null;
  const ending = endingOf(row.ending);
  const refusal = ending.status === 'failed' ? ending.refusal : null;
  return {
    ...{
      commandId,
      type,
      status: ending.status,
      code: refusal?.code ?? null,
      detail: refusal?.detail ?? null,
    },
    ...{ userId: ownerId, aggregate: aggregateKey, requestId, receivedAt: createdAt.toISOString() },
    ...{
      confirmedAt: after(timeline?.confirmedMs),
      takenAt: after(row.takenMs),
      decidedAt: after(row.decidedMs),
    },
    ...{
      // The client was told of the first failure, and of nothing later.
      committedAt: failures.length > 0 ? null : after(timeline?.committedMs),
      answeredAt: failures.length > 0 ? null : after(timeline?.answeredMs),
    },
    ...{ api: timeline?.api ?? null, worker: row.worker },
    failures: failures.map((failure, index) => ({
      ...failure,
      answeredAt: index === 0 ? after(timeline?.answeredMs) : null,
    })),
  };
}
