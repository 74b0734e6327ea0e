import { PartitionOwner } from '../../../shared/database/worker-tables';
import type { Sequelize } from 'sequelize-typescript';
import { endBatchConnections } from '../sql/batch-connection';
import { placeholders } from '../sql/statements';
import { atOnce } from '../sql/dialects';
import type { Statement } from '../sql/transaction';

/**
 * Fencing: a partition's row holds the epoch of its newest owner. A batch commits only when the
 * rows of its partitions still have the epochs under which the worker holds them. The check is an
 * UPDATE: under any isolation level it sees the newest epoch, and it keeps the next owner out until
 * COMMIT.
 */

/**
 * How long a batch of the old owner may keep the new one waiting, milliseconds; most take a few.
 */
const GRACE_MS = 1000;

/** A partition and the epoch, the fencing token, under which it is held. */
export interface HeldEpoch {
  readonly name: string;
  readonly epoch: number;
}

/** The batch must not commit: at least one of its partitions belongs to another worker now. */
export class FencedOut extends Error {
  override readonly name = 'FencedOut';
}

/**
 * Changes one row for each partition that is still held. `batches` is counted so that a matched row
 * is a changed row.
 */
export function fenceStatement(partitions: readonly HeldEpoch[]): Statement {
  return {
    sql: `UPDATE partition_owner SET batches = batches + 1 WHERE ${partitions.map(() => '(partition_name = ? AND epoch = ?)').join(' OR ')}`,
    values: partitions.flatMap(({ name, epoch }) => [name, epoch]),
  };
}

/**
 * Takes partitions over: raises their epochs, so that former owners can no longer commit, and
 * returns the new ones. It waits for a batch that the old owner is committing. A batch that does
 * not end, because its worker is frozen or cut off, is rolled back by ending its connection.
 */
export async function takeOver(
  database: Sequelize,
  owner: string,
  names: readonly string[],
): Promise<HeldEpoch[]> {
  const sorted = [...names].sort();
  const which = `partition_name IN (${placeholders(sorted.length)})`;
  const late = setTimeout(() => {
    // When this fails, so does what waits for it, and is tried again.
    endOwners(database, sorted).catch(() => undefined);
  }, GRACE_MS);
  try {
    const [, found] = await atOnce(database, [
      {
        sql: `UPDATE partition_owner SET epoch = epoch + 1, owner = ?, batches = 0 WHERE ${which}`,
        values: [owner, ...sorted],
      },
      { sql: `SELECT partition_name, epoch FROM partition_owner WHERE ${which}`, values: sorted },
    ]);
    return (found?.rows ?? []).map((row) => ({
      name: row.partition_name as string,
      epoch: Number(row.epoch),
    }));
  } finally {
    clearTimeout(late);
  }
}

/**
 * The rows of a partition are locked by its owner and nobody else, for a worker of an older epoch
 * matches none.
 */
async function endOwners(database: Sequelize, names: readonly string[]): Promise<void> {
  // On SQLite there is one process.
  if (database.getDialect() === 'sqlite') return;
  const rows = await PartitionOwner.findAll({
    attributes: ['owner'],
    where: { partitionName: names },
    group: ['owner'],
    raw: true,
  });
  await endBatchConnections(
    database,
    rows.map(({ owner }) => owner),
  );
}

/** Which of the partitions are still held under the given epoch. */
export async function stillHeld(partitions: readonly HeldEpoch[]): Promise<Set<string>> {
  const rows = await PartitionOwner.findAll({
    where: { partitionName: partitions.map(({ name }) => name) },
    raw: true,
  });
  const epochs = new Map(rows.map(({ partitionName, epoch }) => [partitionName, epoch]));
  return new Set(
    partitions.filter(({ name, epoch }) => epochs.get(name) === epoch).map(({ name }) => name),
  );
}
