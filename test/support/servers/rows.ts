import { join } from 'node:path';
import { connectDatabase } from '../../../shared/database/connect';

export type Row = Readonly<Record<string, unknown>>;
export type Select = (sql: string) => Promise<Row[]>;

/** Looks into the database of a system, or of an embedded process, for the length of one action. */
export async function onDatabase<Result>(
  env: Readonly<Record<string, string>>,
  work: (select: Select) => Promise<Result>,
): Promise<Result> {
  const { MYSQL_URL, DATA_DIR = '' } = env;
  const database = connectDatabase({
    url: MYSQL_URL ?? join(DATA_DIR, 'lendline.sqlite'),
    poolMax: 1,
  });
  try {
    return await work(async (sql) => (await database.query(sql))[0] as Row[]);
  } finally {
    await database.close();
  }
}
