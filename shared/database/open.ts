import type { Sequelize } from 'sequelize-typescript';
import { StartError } from '../config';
import { withoutSecrets } from '../shown-url';
import { connectDatabase, type DatabaseOptions } from './connect';
import { pendingMigrations } from './migrate';

/**
 * Connects to a database server whose schema is up to date.
 * @throws StartError when it cannot be reached, or when migrations are missing.
 */
export async function openMigrated(options: DatabaseOptions): Promise<Sequelize> {
  const database = connectDatabase(options);
  const shown = withoutSecrets(options.url);
  try {
    await database.authenticate();
  } catch (error) {
    throw new StartError(`Cannot use MySQL at ${shown} (MYSQL_URL): ${(error as Error).message}`);
  }
  const missing = await pendingMigrations(database);
  if (missing.length > 0)
    throw new StartError(
      `The schema at ${shown} is out of date (missing: ${missing.join(', ')}). Run "npm run migrate".`,
    );
  return database;
}
