import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { RETENTION } from '../../../../workers/jobs/retention';
import { expectListed } from '../../../support/check/listed';
import { ROOT } from '../../../support/service/child';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';

const TABLES = {
  sqlite:
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'",
  mysql: 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()',
};
const listed = RETENTION.flatMap(({ tables }) => tables);

async function tablesOf(database: Sequelize, dialect: keyof typeof TABLES): Promise<string[]> {
  const rows = await database.query<{ name: string }>(TABLES[dialect], {
    type: QueryTypes.SELECT,
  });
  return Array.from(rows, ({ name }) => name);
}

it('every table has one rule of how long its rows are kept, and every rule has its tables', async () => {
  const tables = new Set<string>();
  for (const dialect of DIALECTS)
    for (const table of await tablesOf(await emptyDatabase(dialect), dialect)) tables.add(table);
  expectListed('workers/jobs/retention.ts', listed, [...tables]);
});

it('what housekeeping removes is said to be removed by it, and is a table of its rule', () => {
  for (const { tables, by, aged } of RETENTION) {
    expect([tables, aged !== undefined]).toEqual([tables, by === 'housekeeping']);
    for (const { table } of [aged ?? []].flat()) expect(tables).toEqual([table.tableName]);
  }
});

it('docs/operating/retention.md shows every rule', () => {
  const page = readFileSync(join(ROOT, 'docs/operating/retention.md'), 'utf8');
  const shown = page.split('\n').filter((line) => line.startsWith('| `'));
  expect(shown).toEqual(
    RETENTION.map(
      ({ tables, kept, by, cost }) =>
        `| ${tables.map((table) => `\`${table}\``).join(', ')} | ${kept} | ${by} | ${cost} |`,
    ),
  );
});
