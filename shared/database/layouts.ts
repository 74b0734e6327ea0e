import { UniqueConstraintError, type Transaction } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { StartError } from '../config';
import { partitionNames, type Layout } from '../messaging/topology';
import { serviceNames } from '../services';
import { PartitionLayout, PartitionOwner } from './tables';

/**
 * How many partitions there are, as every process must know it. The first process to start decides;
 * later an operator may change it while commands flow, which takes two layouts for a while:
 *
 * - Commands are published in the newest layout, from the moment that its row is there.
 * - Commands are carried out in the oldest layout that is not drained: those of the newer one wait,
 * for an aggregate that
 *   moves to another partition must not be changed by two workers, nor by a later command before an earlier one.
 * - Once the older layout is drained, the rows of its owners are gone, in the same transaction, and
 * with them the fence
 *   that a batch needs to commit: from then on nothing that is found in its queues can take effect there.
 */

/** Partitions per service when nobody says otherwise. */
const PARTITIONS_DEFAULT = 16;

export interface KeptLayout extends Layout {
  /** Everything in its queues was carried out. */
  readonly drained: boolean;
}

/** Every layout that still matters, oldest first. */
export async function readLayouts(): Promise<KeptLayout[]> {
  const rows = await PartitionLayout.findAll({ order: ['generation'] });
  return rows.map(({ generation, partitions, drained }) => ({ generation, partitions, drained }));
}

/** The layout that commands are published in. */
export function publishedLayout(layouts: readonly KeptLayout[]): KeptLayout {
  const newest = layouts.at(-1);
  if (!newest) throw new Error('the table partition_layout is empty');
  return newest;
}

/** The layout that commands are carried out in. */
export function servedLayout(layouts: readonly KeptLayout[]): KeptLayout {
  return layouts.find(({ drained }) => !drained) ?? publishedLayout(layouts);
}

/**
 * The layouts, and the first of them when there is none: safe to run from several processes at
 * once.
 * @throws StartError when `wanted` is given and differs from the number of partitions that commands
 * are published in.
 */
export async function openLayouts(
  database: Sequelize,
  wanted: number | undefined,
): Promise<KeptLayout[]> {
  if ((await PartitionLayout.count()) === 0) {
    const first = { generation: 1, partitions: wanted ?? PARTITIONS_DEFAULT };
    await database
      .transaction((transaction) => addLayout(first, transaction))
      .catch((error: unknown) => {
        // Another process was faster: its row has this generation.
        if (!(error instanceof UniqueConstraintError)) throw error;
      });
  }
  const layouts = await readLayouts();
  const { partitions } = publishedLayout(layouts);
  if (wanted !== undefined && wanted !== partitions) {
    throw new StartError(
      `COMMAND_PARTITIONS is ${wanted}, but the database has ${partitions}. Unset it, or change the number with "npm run -s ops -- partitions resize".`,
    );
  }
  return layouts;
}

/** Writes down a layout and its partitions, which nobody owns yet. */
export async function addLayout(layout: Layout, transaction: Transaction): Promise<void> {
  await PartitionLayout.create({ ...layout, drained: false }, { transaction });
  const owners = partitionNames(serviceNames, layout).map((partitionName) => ({
    partitionName,
    epoch: 0,
    owner: '',
    batches: 0,
  }));
  // Those of an installation that knew no layouts are there.
  await PartitionOwner.bulkCreate(owners, { transaction, ignoreDuplicates: true });
}

/** From its commit on, nothing can take effect in the partitions of the layout any more. */
export async function closeLayout(layout: Layout, transaction: Transaction): Promise<void> {
  await PartitionLayout.update(
    { drained: true },
    { where: { generation: layout.generation }, transaction },
  );
  await PartitionOwner.destroy({
    where: { partitionName: partitionNames(serviceNames, layout) },
    transaction,
  });
}

/** Forgets a layout whose queues are gone. */
export async function forgetLayout({ generation }: Layout): Promise<void> {
  await PartitionLayout.destroy({ where: { generation } });
}
