import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { up } from '../../../../shared/database/migrations/0025-erased-people';
import { BookUser } from '../../../../shared/lending/tables';
import { borrow, giveBack } from '../../../support/models/lending/commands';
import { Rig } from '../../workers/batch/rig';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';
import type { Dialect } from '../../../support/servers/templates';
import { newTitle, newUser } from '../../workers/batch/rows';

const SCHEMA: Readonly<Record<Dialect, string>> = {
  sqlite:
    "SELECT name, REPLACE(REPLACE(sql, '`', ''), '\"', '') AS text FROM sqlite_master WHERE tbl_name = 'book_user' ORDER BY name",
  mysql:
    "SELECT column_name AS name, CONCAT_WS(' ', column_type, is_nullable, extra, column_key) AS text FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'book_user' ORDER BY name",
};

/** Makes the table as the release before had it. */
async function takeBack(database: Sequelize): Promise<void> {
  if (database.getDialect() !== 'sqlite') {
    await database.query('ALTER TABLE book_user MODIFY user_id BIGINT NOT NULL');
    return;
  }
  const sql =
    "SELECT type, sql FROM sqlite_master WHERE tbl_name = 'book_user' AND sql IS NOT NULL ORDER BY type DESC";
  const texts = await database.query<{ sql: string }>(sql, { type: QueryTypes.SELECT });
  const rows = await BookUser.findAll({ raw: true });
  await database.query('DROP TABLE book_user');
  for (const { sql: text } of texts)
    await database.query(text.replace('user_id BIGINT NULL', 'user_id BIGINT NOT NULL'));
  await BookUser.bulkCreate(Array.from(rows));
}

it.each(DIALECTS)(
  'the migration to borrows of nobody keeps every borrow, key and check, also when it is run again, on %s',
  async (dialect) => {
    const database = await emptyDatabase(dialect);
    const rig = new Rig({ database });
    const [reader, other, { bookInfoId }] = [newUser(), newUser(), await newTitle(rig, 1)];
    await rig.process([
      borrow(reader, bookInfoId),
      giveBack(reader, bookInfoId),
      borrow(other, bookInfoId),
    ]);
    await rig.end();
    const schema = () =>
      database.query<{ name: string; text: string }>(SCHEMA[dialect], { type: QueryTypes.SELECT });
    const stored = async () => JSON.stringify(await BookUser.findAll({ order: ['id'], raw: true }));
    const [schemaBefore, rowsBefore] = [await schema(), await stored()];
    await takeBack(database);
    expect(await schema()).not.toEqual(schemaBefore);
    for (let times = 0; times < 2; times += 1) await up(database.getQueryInterface());
    expect([await schema(), await stored()]).toEqual([schemaBefore, rowsBefore]);
    const twice = {
      userId: reader,
      bookInfoId,
      bookId: 1,
      status: 'BORROWED',
      borrowedAt: new Date(),
      dueAt: new Date(),
      returnedAt: null,
      renewalCount: 0,
    } as const;
    await expect(BookUser.create({ id: 99, ...twice })).rejects.toMatchObject({
      name: 'SequelizeUniqueConstraintError',
    });
  },
);
