import { join } from 'node:path';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import type { Sequelize } from 'sequelize-typescript';
import { connectDatabase } from '../../../shared/database/connect';
import { openLayouts } from '../../../shared/database/layouts';
import { migrate } from '../../../shared/database/migrate';
import { services } from '../../../shared/services';
import { onCleanUp, temporaryFolder } from '../run/cleanup';
import { freshDatabase } from './fresh';
import { copySqlite, exportTemplate, hasTemplate, template, type Dialect } from './templates';

/**
 * Databases that have the schema but no rows. Migrating takes seconds, so a run migrates one
 * database of each kind and copies it for each test.
 */

export const DIALECTS: readonly Dialect[] = ['sqlite', 'mysql'];
export const PARTITIONS = 3;

const newSqlite = async () => join(await temporaryFolder('database'), 'lendline.sqlite');

export async function makeTemplates(): Promise<void> {
  await makeSqliteTemplate();
  const url = await freshDatabase();
  await migrated(url);
  exportTemplate('mysql', url);
}

/** Does nothing when the run has it. */
export async function makeSqliteTemplate(): Promise<void> {
  if (hasTemplate('sqlite')) return;
  const copied = await newSqlite();
  await migrated(await newSqlite(), async (database) => {
    // What is in the file alone may lack what is still in its log.
    await database.query(`VACUUM INTO '${copied}'`);
  });
  exportTemplate('sqlite', copied);
}

async function migrated(
  url: string,
  then: (database: Sequelize) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const database = connectDatabase({ url, poolMax: 2 });
  try {
    await migrate(database);
    await then(database);
  } finally {
    await database.close();
  }
}

const quoted = (name: string) => `\`${name}\``;

/** Makes the tables of one database in another one, with their rows. */
async function copyTables(connection: Connection, from: string, to: string): Promise<void> {
  const [tables] = await connection.query<RowDataPacket[]>(
    "SELECT TABLE_NAME AS name FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_TYPE = 'BASE TABLE'",
    [from],
  );
  const statements = ['SET SESSION foreign_key_checks = 0', `USE ${quoted(to)}`];
  for (const { name } of tables as { name: string }[]) {
    const source = `${quoted(from)}.${quoted(name)}`;
    const [[shown]] = await connection.query<RowDataPacket[]>(`SHOW CREATE TABLE ${source}`);
    statements.push(shown?.['Create Table'] as string);
    const [[first]] = await connection.query<RowDataPacket[]>(`SELECT 1 FROM ${source} LIMIT 1`);
    if (first) statements.push(`INSERT INTO ${quoted(name)} SELECT * FROM ${source}`);
  }
  await connection.query(statements.join(';\n'));
}

const nameIn = (url: string) => new URL(url).pathname.slice(1);

/** A new database with the schema, and the rows that migrations make; returns its URL. */
export async function migratedDatabase(dialect: Dialect): Promise<string> {
  if (dialect === 'sqlite') {
    const file = await newSqlite();
    await copySqlite(file);
    return file;
  }
  const source = template(dialect);
  const url = await freshDatabase();
  const connection = await createConnection({ uri: url, multipleStatements: true });
  try {
    await copyTables(connection, nameIn(source), nameIn(url));
  } finally {
    await connection.end();
  }
  return url;
}

/** An empty database with the schema and `PARTITIONS` partitions; closed at the end of the file. */
export async function emptyDatabase(dialect: Dialect): Promise<Sequelize> {
  const url = await migratedDatabase(dialect);
  const database = connectDatabase({ url, poolMax: 8, multipleStatements: true });
  onCleanUp(() => database.close());
  await openLayouts(database, services.names, PARTITIONS);
  return database;
}
