import type { Sequelize } from 'sequelize-typescript';
import { calls } from '../calls';
import { StartError } from '../config';
import { withoutSecrets } from '../shown-url';
import { connectDatabase, type DatabaseOptions } from './connect';
import { faultOfNewSchema, pendingMigrations, type Migration } from './migrate';

/**
 * Connects to a database server whose schema fits this program.
 * @param migrations migrations of services.
 * @throws StartError when the server is unavailable, or its schema is too old or too new.
 */
export async function openMigrated(
  options: DatabaseOptions,
  migrations: readonly Migration[],
): Promise<Sequelize> {
  const database = connectDatabase(options);
  const shown = withoutSecrets(options.url);
  try {
    await database.authenticate();
  } catch (error) {
    throw new StartError(`Cannot use MySQL at ${shown} (MYSQL_URL): ${(error as Error).message}`);
  }
  const missing = await pendingMigrations(database, migrations);
  if (missing.length > 0)
    throw new StartError(
      `The schema at ${shown} is out of date (missing: ${missing.join(', ')}). Run "${calls.migrate}".`,
    );
  const tooNew = await faultOfNewSchema(database, migrations);
  if (tooNew !== null) throw new StartError(`The schema at ${shown} is too new: ${tooNew}.`);
  return database;
}
