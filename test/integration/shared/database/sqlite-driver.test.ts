import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { QueryTypes, type Transaction } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { connectSqlite, storageFault } from '../../../../shared/database/connect';
import type { HandleClass } from '../../../../shared/database/sqlite-files';
import { onCleanUp, temporaryFolder } from '../../../support/run/cleanup';
import { failingSqlite } from '../../../support/faults/failing-sqlite';
import { smallDisk } from '../../../support/servers/small-disk';

/**
 * SQLite through Sequelize, when a transaction ends in another way than by a COMMIT that succeeds.
 */

const MUCH = 'x'.repeat(100_000);

async function opened(folder: string, handles?: HandleClass): Promise<Sequelize> {
  const database = connectSqlite(join(folder, 'lendline.sqlite'), handles);
  onCleanUp(() => database.close());
  await database.query('CREATE TABLE line (id INTEGER PRIMARY KEY, text TEXT)');
  await database.query(
    'CREATE TABLE child (id INTEGER, line INTEGER REFERENCES line (id) DEFERRABLE INITIALLY DEFERRED)',
  );
  return database;
}

const count = async (database: Sequelize): Promise<number> =>
  ((await database.query('SELECT COUNT(*) AS count FROM line'))[0] as { count: number }[])[0]!
    .count;
const insert = (database: Sequelize, text = 'a') =>
  database.transaction((transaction) =>
    database.query('INSERT INTO line (text) VALUES (?)', { replacements: [text], transaction }),
  );

beforeEach(() => {
  // Sequelize says by itself that a transaction failed.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
});

it('lets others write after a COMMIT that broke a deferred constraint', async () => {
  const database = await opened(await temporaryFolder('sqlite'));
  const orphan = database.transaction((transaction) =>
    database.query('INSERT INTO child VALUES (1, 99)', { transaction }),
  );
  await expect(orphan).rejects.toMatchObject({ name: 'SequelizeForeignKeyConstraintError' });
  await insert(database);
  expect(await count(database)).toBe(1);
  expect(storageFault(database)).toBeNull();
});

it.each([
  ['a COMMIT', /^COMMIT/, 'database or disk is full', 'SQLITE_FULL'],
  ['a COMMIT', /^COMMIT/, 'disk I/O error', 'SQLITE_IOERR'],
  ['a statement', /^INSERT/, 'attempt to write a readonly database', 'SQLITE_READONLY'],
  ['a BEGIN', /^BEGIN/, 'unable to open database file', 'SQLITE_CANTOPEN'],
])('lets others write after %s that failed for the disk (%s %s)', async (_, sql, text, code) => {
  const { handles, fail } = failingSqlite();
  const database = await opened(await temporaryFolder('sqlite'), handles);
  fail({ sql, text });
  await expect(insert(database)).rejects.toMatchObject({ original: { code } });
  expect(storageFault(database)).toContain(text);
  expect(await count(database)).toBe(0);
  fail(null);
  await insert(database);
  expect(storageFault(database)).toBeNull();
  expect(await count(database)).toBe(1);
});

it('reads the columns of a table once, and again after a change of a table or its rollback', async () => {
  const { handles, statements } = failingSqlite();
  const database = await opened(await temporaryFolder('sqlite'), handles);
  const look = async (transaction?: Transaction) => {
    const before = statements().length;
    const select = 'SELECT * FROM `line`';
    await database.query(select, { type: QueryTypes.SELECT, transaction: transaction ?? null });
    return statements()
      .slice(before)
      .some((sql) => sql.startsWith('PRAGMA table_info'));
  };
  await insert(database);
  expect([await look(), await look()]).toEqual([true, false]);
  await database.query('ALTER TABLE line ADD COLUMN made DATETIME');
  expect([await look(), await look()]).toEqual([true, false]);
  const refused = database.transaction(async (transaction) => {
    await database.query('ALTER TABLE line ADD COLUMN more DATETIME', { transaction });
    // Others see the table as it was, and who changes it sees what it is.
    expect([await look(), await look(transaction)]).toEqual([true, true]);
    throw new Error('refused');
  });
  await expect(refused).rejects.toThrow('refused');
  expect([await look(), await look()]).toEqual([true, false]);
});

it('lets others write after a ROLLBACK', async () => {
  const database = await opened(await temporaryFolder('sqlite'));
  const refused = database.transaction(() => Promise.reject(new Error('refused')));
  await expect(refused).rejects.toThrow('refused');
  await insert(database);
  expect(await count(database)).toBe(1);
});

it.each(['COMMIT', 'ROLLBACK'])(
  'lets others write after a %s that is a statement of its own',
  async (end) => {
    const database = await opened(await temporaryFolder('sqlite'));
    await database.query('BEGIN IMMEDIATE');
    await database.query(end);
    await insert(database);
    expect(await count(database)).toBe(1);
  },
  10_000,
);

it('names a disk that is full, stores nothing by halves, and goes on when there is space', async () => {
  const disk = await smallDisk(4);
  const database = await opened(disk.folder);
  await disk.fill(200_000);
  const large = database.transaction(async (transaction) => {
    for (let row = 0; row < 10; row += 1)
      await database.query('INSERT INTO line (text) VALUES (?)', {
        replacements: [MUCH],
        transaction,
      });
  });
  await expect(large).rejects.toMatchObject({ original: { code: 'SQLITE_FULL' } });
  expect(storageFault(database)).toContain('full');
  expect(await count(database)).toBe(0);
  await disk.free();
  await insert(database, MUCH);
  expect(await count(database)).toBe(1);
  expect(storageFault(database)).toBeNull();
});

it('runs nothing alone that was meant for a transaction which SQLite has rolled back by itself', async () => {
  const disk = await smallDisk(4);
  const database = await opened(disk.folder);
  await disk.fill(200_000);
  const write = database.transaction(async (transaction) => {
    // More than SQLite keeps in memory, so that it is written before COMMIT.
    await database.query('PRAGMA cache_size = 1', { transaction });
    for (let row = 0; row < 50; row += 1)
      await database
        .query('INSERT INTO line (text) VALUES (?)', { replacements: [MUCH], transaction })
        .catch(() => undefined);
    await disk.free();
    await database.query('INSERT INTO line (text) VALUES (?)', {
      replacements: ['alone'],
      transaction,
    });
  });
  await expect(write).rejects.toMatchObject({ original: { code: 'SQLITE_ABORT' } });
  expect(await count(database)).toBe(0);
});

it('answers a COMMIT only when the disk has what it stored', async () => {
  const database = await opened(await temporaryFolder('sqlite'));
  const inTransaction = await database.transaction(
    async (transaction) => (await database.query('PRAGMA synchronous', { transaction }))[0],
  );
  // 2 is FULL: the log is flushed before each COMMIT returns.
  expect(inTransaction).toEqual([{ synchronous: 2 }]);
  expect((await database.query('PRAGMA synchronous'))[0]).toEqual([{ synchronous: 2 }]);
});

it('lets a statement that writes by itself have its turn, first come first served', async () => {
  const database = await opened(await temporaryFolder('sqlite'));
  const under = await database.transaction();
  await database.query("INSERT INTO line (text) VALUES ('first')", { transaction: under });
  const alone = database.query("INSERT INTO line (text) VALUES ('alone')");
  await nextTurn();
  const others = Array.from({ length: 20 }, () => insert(database));
  await nextTurn();
  await under.commit();
  await Promise.all([alone, ...others]);
  const [lines] = await database.query('SELECT text FROM line ORDER BY id');
  expect((lines as { text: string }[]).map(({ text }) => text)).toEqual([
    'first',
    'alone',
    ...others.map(() => 'a'),
  ]);
});

it('lets connections have their turn between long statements', async () => {
  const database = await opened(await temporaryFolder('sqlite'));
  let turns = 0;
  const counting = setInterval(() => (turns += 1), 1);
  const insertMuch = () =>
    database.transaction(async (transaction) => {
      for (let statements = 0; statements < 5; statements += 1)
        await database.query('INSERT INTO line (text) VALUES (hex(zeroblob(5000000)))', {
          transaction,
        });
    });
  await insertMuch();
  clearInterval(counting);
  expect(turns).toBeGreaterThanOrEqual(4);
});
