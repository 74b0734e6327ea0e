import { Op } from 'sequelize';
import { endingOf } from '../../shared/database/ending';
import { CommandOutcome, CommandWay } from '../../shared/database/tables';

/**
 * Finds commands that have ended, the newest first: ids are in the order of time, so every index
 * that ends with the id serves.
 */

/** A command and its way. An instant is null when nobody told it: see `api/commands/ways.ts`. */
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
  const ways = new Map(
    (
      await CommandWay.findAll({ where: { commandId: found.map(({ commandId }) => commandId) } })
    ).map((way) => [way.commandId, way]),
  );
  return {
    items: found.map((row) => trackOf(row, ways.get(row.commandId))),
    next: rows.length > size ? (found.at(-1)?.commandId ?? null) : null,
  };
}

function trackOf(row: CommandOutcome, way: CommandWay | undefined): CommandTrack {
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
      confirmedAt: after(way?.confirmedMs),
      takenAt: after(row.takenMs),
      decidedAt: after(row.decidedMs),
    },
    ...{ committedAt: after(way?.committedMs), answeredAt: after(way?.answeredMs) },
  };
}
