import { QueryTypes, type QueryInterface } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { connectDatabase } from '../../../../shared/database/connect';
import {
  faultOfNewSchema,
  migrate,
  missingMigrations,
  pendingMigrations,
} from '../../../../shared/database/migrate';
import { openMigrated } from '../../../../shared/database/open';
import { planOf, planText } from '../../../../workers/ops/migration-plan';
import { onCleanUp } from '../../../support/run/cleanup';
import { freshDatabase } from '../../../support/servers/fresh';

let url: string;
let database: Sequelize;

beforeAll(async () => {
  url = await freshDatabase();
  database = connectDatabase({ url, poolMax: 2 });
  onCleanUp(() => database.close());
  await migrate(database);
  await database.query("INSERT INTO setting (name, value) VALUES ('one', '1'), ('two', '2')");
});

const later = {
  name: '9999-later',
  up: async (query: QueryInterface) => {
    await query.sequelize.query('ALTER TABLE setting ADD later INT');
    await query.sequelize.query('CREATE TABLE later_table (id INT)');
    await query.sequelize.query('SELECT later FROM setting', { type: QueryTypes.SELECT });
  },
};

describe('the plan of migrations', () => {
  it('says what would be done and to how many rows, and does nothing', async () => {
    const [{ count }] = (await database.query<{ count: number }>(
      'SELECT COUNT(*) AS count FROM setting',
      { type: QueryTypes.SELECT },
    )) as [{ count: number }];
    const plan = await planOf(database, await missingMigrations(database, [later]));
    expect(plan).toEqual([
      {
        name: '9999-later',
        statements: [
          { sql: 'ALTER TABLE setting ADD later INT', rows: count },
          { sql: 'CREATE TABLE later_table (id INT)', rows: null },
        ],
        unknown: expect.stringMatching(/later/) as string,
      },
    ]);
    expect(planText(plan)).toContain(`ADD later INT  [table of ${count} rows]`);
    expect(await pendingMigrations(database, [later])).toEqual(['9999-later']);
    await expect(database.query('SELECT later FROM setting')).rejects.toThrow(/later/);
  });

  it('of an empty database names every migration', async () => {
    const empty = connectDatabase({ url: await freshDatabase(), poolMax: 2 });
    onCleanUp(() => empty.close());
    const plan = await planOf(empty, await missingMigrations(empty));
    expect(plan.length).toBeGreaterThan(30);
    expect(plan[0]?.statements.length).toBeGreaterThan(0);
    expect((await empty.query('SHOW TABLES', { type: QueryTypes.SELECT })).length).toBeLessThan(2);
  });
});

describe('a program that meets the schema of a later release', () => {
  const ran = (name: string) => database.query(`INSERT INTO migration (name) VALUES ('${name}')`);
  const start = async () => {
    const opened = await openMigrated({ url, poolMax: 1 }, []);
    await opened.close();
  };

  it('works with one that only adds, and refuses one that took something away', async () => {
    await ran('9998-added');
    expect(await faultOfNewSchema(database)).toBeNull();
    await start();
    await ran('9999-names-contract');
    await expect(start()).rejects.toThrow(/too new: .*9999-names-contract/);
    await expect(migrate(database)).rejects.toThrow(/too new/);
  });
});
