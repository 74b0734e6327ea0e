import type { Ending, Outcome } from '../../shared/command';
import { CommandOutcome } from '../../shared/database/tables';

/** The stored outcomes of the given commands; those that are not carried out yet are missing. */
export async function findOutcomes(commandIds: readonly string[]): Promise<Outcome[]> {
  // Not raw: SQLite keeps instants as text, and only the model makes dates of them.
  const rows = await CommandOutcome.findAll({ where: { commandId: [...commandIds] } });
  return rows.map((row) => ({
    commandId: row.commandId,
    type: row.type,
    ownerId: row.ownerId,
    requestId: row.requestId,
    createdAt: row.createdAt.getTime(),
    completedAt: row.completedAt.getTime(),
    ending: JSON.parse(row.ending) as Ending,
  }));
}
