import { createConnection, type ConnectionOptions } from 'mysql2/promise';
import type { Row } from './rows';

/** Carries out one statement on a connection of its own. */
export async function askMysql(
  uri: string,
  sql: string,
  options: ConnectionOptions = {},
): Promise<Row[]> {
  const connection = await createConnection({ uri, ...options });
  try {
    const [rows] = await connection.query(sql);
    return rows as Row[];
  } finally {
    await connection.end();
  }
}
