import { StartError } from '../config';
import { Setting } from './tables';

/** What is fixed at first start and kept in the database, so that every process agrees on it. */

/** Partitions per service when nobody says otherwise. */
const PARTITIONS_DEFAULT = 16;

/**
 * The number of partitions per service. The first process to start fixes it: later another number would send the
 * commands of an aggregate to a different queue than those that still wait.
 * @throws StartError when `wanted` is given and differs from the number that is fixed.
 */
export async function fixedPartitions(wanted: number | undefined): Promise<number> {
  const name = 'command_partitions';
  await Setting.bulkCreate([{ name, value: String(wanted ?? PARTITIONS_DEFAULT) }], { ignoreDuplicates: true });
  const { value } = await Setting.findByPk(name, { rejectOnEmpty: true });
  const fixed = Number(value);
  if (wanted !== undefined && wanted !== fixed) {
    throw new StartError(`COMMAND_PARTITIONS is ${wanted}, but this database was started with ${fixed}, and the number is fixed at first start`);
  }
  return fixed;
}

/** The secret that command ids are signed with, made by the first migration. */
export async function commandIdSecret(): Promise<Buffer> {
  const { value } = await Setting.findByPk('command_id_secret', { rejectOnEmpty: true });
  return Buffer.from(value, 'hex');
}
