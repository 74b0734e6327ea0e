import type { Sequelize } from 'sequelize-typescript';
import { findBorrow } from '../../../../api/lending/borrow-queries';
import { BookUser } from '../../../../shared/lending/tables';
import { oldBorrows } from '../../../../workers/lending/old-borrows';
import { auditChecks } from '../../../../workers/ops/audit-checks';
import { borrow } from '../../../support/models/lending/commands';
import { Rig } from '../batch/rig';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';
import { newTitle, newUser } from '../batch/rows';

const NOW = new Date('2026-11-25T12:00:00Z');
const DAYS = 30;
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 24 * 3600 * 1000);
/** More than are looked at in one transaction. */
const MANY = 2100;
/** Above the ids that a worker has taken. */
const FIRST_ID = 1_000_000;

describe.each(DIALECTS)('borrows that were closed long ago, on %s', (dialect) => {
  let database: Sequelize;
  let userId: number;
  let copy: { bookInfoId: number; bookId: number };
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
    const rig = new Rig({ database, now: () => daysAgo(DAYS + 1) });
    userId = newUser();
    const { bookInfoId, bookIds } = await newTitle(rig, 2);
    copy = { bookInfoId, bookId: bookIds[1] as number };
    // An old one that is open.
    await rig.process([borrow(userId, bookInfoId, bookIds[0])]);
    const rows = Array.from({ length: MANY }, (_, index) =>
      row(FIRST_ID + index, 'RETURNED', DAYS + 1),
    );
    await BookUser.bulkCreate([
      ...rows,
      row(10, 'RETURNED', DAYS - 1),
      row(11, 'LOST', DAYS + 1),
      row(12, 'LOST', DAYS - 1),
    ]);
  });

  const row = (id: number, status: 'RETURNED' | 'LOST', closed: number) => ({
    ...{
      id,
      userId,
      ...copy,
      status,
      borrowedAt: daysAgo(DAYS + 20),
      dueAt: daysAgo(closed),
      renewalCount: 0,
    },
    returnedAt: status === 'RETURNED' ? daysAgo(closed) : null,
  });

  async function passed(days: number): Promise<void> {
    const job = oldBorrows(database, () => NOW, days);
    while (await job.run());
  }

  it('are never touched when histories are kept for ever', async () => {
    await passed(0);
    expect(await BookUser.count({ where: { userId } })).toBe(MANY + 4);
  });

  it('no longer name their reader, while younger and open ones do', async () => {
    await passed(DAYS);
    const left = await BookUser.findAll({
      attributes: ['id', 'status'],
      where: { userId },
      order: ['id'],
      raw: true,
    });
    expect(Array.from(left, ({ status }) => status)).toEqual(['BORROWED', 'RETURNED', 'LOST']);
    expect(await BookUser.count()).toBe(MANY + 4);
    expect(await findBorrow(11, NOW)).toMatchObject({
      userId: null,
      username: null,
      status: 'LOST',
      title: 'Stored',
    });
  });

  it('lack nobody whom `ops audit` would miss', async () => {
    const checks = auditChecks(dialect).filter(({ sql }) =>
      sql.includes('LEFT JOIN `user` u ON u.id = l.user_id'),
    );
    expect(checks).toHaveLength(1);
    expect((await database.query(checks[0]?.sql ?? ''))[0]).toEqual([]);
  });
});
