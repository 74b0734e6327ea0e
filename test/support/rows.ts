import { join } from 'node:path';
import { QueryTypes } from 'sequelize';
import { connectDatabase } from '../../shared/database/connect';
import type { Environment } from './processes';

export type Row = Readonly<Record<string, unknown>>;
export type Select = (sql: string) => Promise<Row[]>;

/** Looks into the database of a system, or of an embedded process, for the length of one action. */
export async function onDatabase<Result>(env: Environment, work: (select: Select) => Promise<Result>): Promise<Result> {
  const { MYSQL_URL, DATA_DIR = '' } = env;
  const database = connectDatabase({ url: MYSQL_URL ?? join(DATA_DIR, 'lendline.sqlite'), poolMax: 1 });
  try {
    return await work((sql) => database.query<Row>(sql, { type: QueryTypes.SELECT }));
  } finally {
    await database.close();
  }
}
