import { chmod, copyFile } from 'node:fs/promises';

/** The migrated databases of a run, as the global setup hands them to Jest's workers. */

export type Dialect = 'sqlite' | 'mysql';

const VARIABLES: Readonly<Record<Dialect, string>> = {
  sqlite: 'TEST_SQLITE_TEMPLATE',
  mysql: 'TEST_MYSQL_TEMPLATE',
};

/** `url`: of a database that stays as it is, or the file of one. */
export function exportTemplate(dialect: Dialect, url: string): void {
  process.env[VARIABLES[dialect]] = url;
}

/** Returns whether this run has a migrated database to copy. */
export const hasTemplate = (dialect: Dialect): boolean =>
  process.env[VARIABLES[dialect]] !== undefined;

export function template(dialect: Dialect): string {
  const url = process.env[VARIABLES[dialect]];
  if (!url)
    throw new Error(
      `${VARIABLES[dialect]} is not set: this test belongs to a Jest project that starts servers`,
    );
  return url;
}

/** Makes such a database of this file. */
export async function copySqlite(file: string): Promise<void> {
  await copyFile(template('sqlite'), file);
  // As the service makes it.
  await chmod(file, 0o600);
}
