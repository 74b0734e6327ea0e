import { UniqueConstraintError, type Transaction } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { StartError } from '../config';
import { generationOf, partitionNames, type Layout } from '../messaging/topology';
import { PartitionLayout, PartitionOwner } from './worker-tables';

/**
 * Layouts: how many partitions there are. The first process decides, and an operator may change it
 * while commands flow. Then there are two layouts for a while:
 *
 * - Commands are published in the newest layout, from the moment that its row exists.
 * - Commands are carried out in the oldest layout that is not drained. The newer one waits, so that
 *   no
 *   two workers change an aggregate that moves to another partition.
 * - The transaction that ends the older layout deletes its owners' rows, and with them the fence:
 *   no
 *   batch of it can commit any more.
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
 * @param services their names, for the partitions of the first.
 * @throws StartError when `wanted` is given and differs from the number of partitions that commands
 * are published in.
 */
export async function openLayouts(
  database: Sequelize,
  services: readonly string[],
  wanted: number | undefined,
): Promise<KeptLayout[]> {
  if ((await PartitionLayout.count()) === 0) {
    const first = { generation: 1, partitions: wanted ?? PARTITIONS_DEFAULT };
    await database
      .transaction((transaction) => addLayout(services, first, transaction))
      .catch((error: unknown) => {
        // Another process was faster: its row has this generation.
        if (!(error instanceof UniqueConstraintError)) throw error;
      });
  }
  const layouts = await readLayouts();
  await addMissingOwners(database, services);
  const { partitions } = publishedLayout(layouts);
  if (wanted !== undefined && wanted !== partitions) {
    throw new StartError(
      `COMMAND_PARTITIONS is ${wanted}, but the database has ${partitions}. Unset it, or change the number with "npm run -s ops -- partitions resize".`,
    );
  }
  return layouts;
}

/**
 * The partitions that have no owner's row and need one. Nobody can take them over, so that their
 * commands wait.
 */
export async function partitionsWithoutOwner(services: readonly string[]): Promise<string[]> {
  const open = (await readLayouts()).filter(({ drained }) => !drained);
  const owners = await PartitionOwner.findAll({ attributes: ['partitionName'], raw: true });
  const known = new Set(owners.map(({ partitionName }) => partitionName));
  return open
    .flatMap((layout) => partitionNames(services, layout))
    .filter((name) => !known.has(name));
}

/** Those of the partitions whose layout is not drained. */
export async function partitionsInForce(names: readonly string[]): Promise<string[]> {
  const open = (await readLayouts()).filter(({ drained }) => !drained);
  return names.filter((name) => open.some(({ generation }) => generation === generationOf(name)));
}

/**
 * Makes the owners' rows that are missing, as those of a service that the installation did not have
 * before, and returns how many those were.
 */
export async function addMissingOwners(
  database: Sequelize,
  services: readonly string[],
): Promise<number> {
  const { length: missing } = await partitionsWithoutOwner(services);
  if (missing === 0) return 0;
  await database.transaction(async (transaction) => {
    // Locked, so that none is closed meanwhile: the rows of a drained layout must stay away.
    const open = await PartitionLayout.findAll({
      where: { drained: false },
      lock: transaction.LOCK.SHARE,
      transaction,
      raw: true,
    });
    for (const layout of open) await addOwners(services, layout, transaction);
  });
  return missing;
}

/** Writes down a layout and its partitions, which nobody owns yet. */
export async function addLayout(
  services: readonly string[],
  layout: Layout,
  transaction: Transaction,
): Promise<void> {
  await PartitionLayout.create({ ...layout, drained: false }, { transaction });
  await addOwners(services, layout, transaction);
}

async function addOwners(
  services: readonly string[],
  layout: Layout,
  transaction: Transaction,
): Promise<void> {
  const owners = partitionNames(services, layout).map((partitionName) => ({
    partitionName,
    epoch: 0,
    owner: '',
    batches: 0,
  }));
  // Some may be there: those of an installation that knew no layouts, or of its other services.
  await PartitionOwner.bulkCreate(owners, { transaction, ignoreDuplicates: true });
}

/** From its commit on, nothing can take effect in the partitions of the layout any more. */
export async function closeLayout(
  services: readonly string[],
  layout: Layout,
  transaction: Transaction,
): Promise<void> {
  await PartitionLayout.update(
    { drained: true },
    { where: { generation: layout.generation }, transaction },
  );
  await PartitionOwner.destroy({
    where: { partitionName: partitionNames(services, layout) },
    transaction,
  });
}

/** Forgets a layout whose queues are gone. */
export async function forgetLayout({ generation }: Layout): Promise<void> {
  await PartitionLayout.destroy({ where: { generation } });
}
