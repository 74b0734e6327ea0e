import { connectSqlite } from '../../../shared/database/connect';
import { migrate } from '../../../shared/database/migrate';
import { partitionNames } from '../../../shared/messaging/topology';
import { services } from '../services';
import { LAYOUT } from './layout';

/**
 * A program that makes an empty database with the product's schema and the tables of the stocks, in
 * real time. Its argument is the file.
 */
async function make(file: string): Promise<void> {
  const database = connectSqlite(file);
  await migrate(database);
  await database.query(
    'CREATE TABLE stock (id TEXT PRIMARY KEY, quantity INTEGER NOT NULL, version INTEGER NOT NULL)',
  );
  await database.query(
    'CREATE TABLE effect (seq INTEGER PRIMARY KEY, stock_id TEXT NOT NULL, version INTEGER NOT NULL, command_id TEXT NOT NULL, delta INTEGER NOT NULL)',
  );
  for (const name of partitionNames(services.names, LAYOUT))
    await database.query(
      `INSERT INTO partition_owner (partition_name, epoch, owner, batches) VALUES ('${name}', 0, '', 0)`,
    );
  await database.query('PRAGMA wal_checkpoint(TRUNCATE)');
  await database.close();
}

void make(process.argv[2] ?? '');
