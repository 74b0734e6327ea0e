import { PartitionOwner } from '../../shared/database/tables';
import type { Sequelize } from 'sequelize-typescript';
import { placeholders } from './statements';
import type { Statement } from './transaction';

/**
 * Fencing: a partition's row holds the epoch of the worker that took it over last. A batch commits only when the row of
 * each of its partitions still has the epoch under which the worker holds it. It is a conditional UPDATE and not a
 * SELECT, because under any isolation level an UPDATE sees the newest epoch and keeps the next owner out until COMMIT.
 */

/** A partition and the epoch, the fencing token, under which it is held. */
export interface HeldEpoch {
  readonly name: string;
  readonly epoch: number;
}

/** The batch must not commit: at least one of its partitions belongs to another worker now. */
export class FencedOut extends Error {
  override readonly name = 'FencedOut';
}

/** Changes one row for each partition that is still held. `batches` is counted so that a matched row is a changed row. */
export function fenceStatement(partitions: readonly HeldEpoch[]): Statement {
  return {
    sql: `UPDATE partition_owner SET batches = batches + 1 WHERE ${partitions.map(() => '(partition_name = ? AND epoch = ?)').join(' OR ')}`,
    values: partitions.flatMap(({ name, epoch }) => [name, epoch]),
  };
}

/** Makes the rows of partitions that were never owned. Safe to run at the same time from several workers. */
export async function seedPartitions(names: readonly string[]): Promise<void> {
  await PartitionOwner.bulkCreate(
    names.map((partitionName) => ({ partitionName, epoch: 0, owner: '', batches: 0 })),
    { ignoreDuplicates: true },
  );
}

/**
 * Takes partitions over: raises their epochs, so that whoever held them before can no longer commit, and returns the
 * new ones. Waits for a batch of the old owner that is being committed.
 */
export async function takeOver(database: Sequelize, owner: string, names: readonly string[]): Promise<HeldEpoch[]> {
  return database.transaction(async (transaction) => {
    const sorted = [...names].sort();
    await database.query(`UPDATE partition_owner SET epoch = epoch + 1, owner = ?, batches = 0 WHERE partition_name IN (${placeholders(sorted.length)})`, {
      replacements: [owner, ...sorted],
      transaction,
    });
    const rows = await PartitionOwner.findAll({ where: { partitionName: sorted }, transaction, raw: true });
    return rows.map(({ partitionName, epoch }) => ({ name: partitionName, epoch }));
  });
}

/** Which of the partitions are still held under the given epoch. */
export async function stillHeld(partitions: readonly HeldEpoch[]): Promise<Set<string>> {
  const rows = await PartitionOwner.findAll({ where: { partitionName: partitions.map(({ name }) => name) }, raw: true });
  const epochs = new Map(rows.map(({ partitionName, epoch }) => [partitionName, epoch]));
  return new Set(partitions.filter(({ name, epoch }) => epochs.get(name) === epoch).map(({ name }) => name));
}
