import type { QueryInterface } from 'sequelize';
import { createTable, dialectOf } from './dialect';

/** Creates the settings of lending that administrators change, one row each with a JSON text. */
export async function up(query: QueryInterface): Promise<void> {
  const { ascii, instant, longText } = dialectOf(query);
  await createTable(query, {
    name: 'lending_policy',
    columns: [
      `name ${ascii(32)} NOT NULL PRIMARY KEY`,
      'version BIGINT NOT NULL',
      `content ${longText} NOT NULL`,
      `modified_at ${instant} NOT NULL`,
    ],
  });
}
