import { UniqueConstraintError, type FindOptions, type Transaction } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { calls } from '../calls';
import { StartError } from '../config';
import { generationOf, partitionNames, type Layout } from '../messaging/topology';
import { PartitionLayout, PartitionOwner } from './worker-tables';

/**
 * Layouts: how many partitions there are. The first process decides, and an operator may change it
 * while commands flow. Then there are two layouts for a while:
 * - Commands are published in the newest layout as soon as its row exists.
 * - Commands are carried out in the oldest layout that is not drained. The newer one waits, so that
 *   two workers never change one aggregate that moves to another partition.
 * - The transaction that ends the older layout deletes its owners' rows, and with them the fence.
 *   No batch of it can commit any more.
 */

/** Partitions per service by default. */
const PARTITIONS_DEFAULT = 16;

export interface KeptLayout extends Layout {
  /** Every command in its queues was carried out. */
  readonly drained: boolean;
  /** The number of partitions that an administrator wants instead; null for none. */
  readonly resizeTo: number | null;
}

type Locked = Pick<FindOptions, 'lock' | 'transaction'>;

/** Reads every layout that still matters, oldest first. */
export async function readLayouts(locked: Locked = {}): Promise<KeptLayout[]> {
  const rows = await PartitionLayout.findAll({ order: ['generation'], ...locked });
  return rows.map(({ generation, partitions, drained, resizeTo }) => ({
    generation,
    partitions,
    drained,
    resizeTo,
  }));
}

/** Returns the number of partitions that a change under way leads to; null without one. */
export function changesTo([oldest, next]: readonly KeptLayout[]): number | null {
  return next?.partitions ?? oldest?.resizeTo ?? null;
}

/** Returns the layout that commands are published in. */
export function publishedLayout(layouts: readonly KeptLayout[]): KeptLayout {
  const newest = layouts.at(-1);
  if (!newest) throw new Error('the table partition_layout is empty');
  return newest;
}

/** Returns the layout that commands are carried out in. */
export function servedLayout(layouts: readonly KeptLayout[]): KeptLayout {
  return layouts.find(({ drained }) => !drained) ?? publishedLayout(layouts);
}

/**
 * Returns the layouts, and makes the first one when there is none. Several processes may call this
 * at once.
 * @param services the names of the services, for the partitions of the first layout.
 * @throws StartError when `wanted` differs from the number of partitions that commands are
 * published in.
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
        // Another process was faster, and its row has this generation.
        if (!(error instanceof UniqueConstraintError)) throw error;
      });
  }
  const layouts = await readLayouts();
  await addMissingOwners(database, services);
  const { partitions } = publishedLayout(layouts);
  if (wanted !== undefined && wanted !== partitions) {
    throw new StartError(
      `COMMAND_PARTITIONS is ${wanted}, but the database has ${partitions}. Unset it, or change the number with "${calls.ops} partitions resize".`,
    );
  }
  return layouts;
}

/**
 * Returns the partitions that lack an owner's row. No worker can take them over, so their commands
 * wait.
 */
export async function partitionsWithoutOwner(services: readonly string[]): Promise<string[]> {
  const open = (await readLayouts()).filter(({ drained }) => !drained);
  const owners = await PartitionOwner.findAll({ attributes: ['partitionName'], raw: true });
  const known = new Set(owners.map(({ partitionName }) => partitionName));
  return open
    .flatMap((layout) => partitionNames(services, layout))
    .filter((name) => !known.has(name));
}

/** Returns those of the partitions whose layout is not drained. */
export async function partitionsInForce(names: readonly string[]): Promise<string[]> {
  const open = (await readLayouts()).filter(({ drained }) => !drained);
  return names.filter((name) => open.some(({ generation }) => generation === generationOf(name)));
}

/** Makes missing owners' rows, for instance those of a new service, and returns how many. */
export async function addMissingOwners(
  database: Sequelize,
  services: readonly string[],
): Promise<number> {
  const { length: missing } = await partitionsWithoutOwner(services);
  if (missing === 0) return 0;
  await database.transaction(async (transaction) => {
    // Locked, so that none is closed meanwhile: a drained layout must not get its rows back.
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

/**
 * Stores the layout that follows. Commands are published in it from this commit on.
 * @throws Error when another change has begun, or is wanted, since `current` was read.
 */
export async function followLayout(
  services: readonly string[],
  current: Layout,
  next: Layout,
  transaction: Transaction,
): Promise<void> {
  const layouts = await readLayouts({ lock: transaction.LOCK.UPDATE, transaction });
  const wanted = changesTo(layouts) ?? next.partitions;
  if (
    layouts.length !== 1 ||
    layouts[0]?.generation !== current.generation ||
    wanted !== next.partitions
  )
    throw new Error('Another change of the number of partitions has begun meanwhile.');
  await addLayout(services, next, transaction);
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
  // Some rows may exist: those of an installation without layouts, or of its other services.
  await PartitionOwner.bulkCreate(owners, { transaction, ignoreDuplicates: true });
}

/** Ends a layout. After this commit, nothing can take effect in its partitions. */
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

/** Deletes a layout whose queues are gone. */
export async function forgetLayout({ generation }: Layout): Promise<void> {
  await PartitionLayout.destroy({ where: { generation } });
}
