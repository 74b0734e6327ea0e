import type { Sequelize } from 'sequelize-typescript';
import type { Envelope } from '../../../../shared/command';
import { User } from '../../../../shared/identity/tables';
import { LendingPolicy } from '../../../../shared/lending/tables';
import {
  addCopies,
  borrow,
  changeCopy,
  placeHold,
  setCalendar,
  setLoanRules,
} from '../../../support/models/lending/commands';
import { Rig } from './rig';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';
import { newTitle, newUser } from './rows';

/** Loan rules at workers: what is stored, what is read, and who learns of a change. */

const DAY_MS = 24 * 3600 * 1000;
const START = Date.parse('2026-03-02T12:00:00Z');

describe.each(DIALECTS)('loan rules on %s', (dialect) => {
  let database: Sequelize;
  let now: Date;
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
  });
  beforeEach(async () => {
    await LendingPolicy.destroy({ where: {} });
    now = new Date(START);
  });

  const newRig = () => new Rig({ database, now: () => now });
  const loanDaysOf = (rig: Rig, given: ReturnType<typeof borrow>) => {
    const { borrowedAt, dueAt } = rig.result(given) as unknown as Record<string, string>;
    return (Date.parse(dueAt!) - Date.parse(borrowedAt!)) / DAY_MS;
  };
  /** Another worker may have the partition, which this one takes back then. */
  const carriedOut = async (rig: Rig, given: Envelope) => {
    while (!rig.replied().has(given.commandId)) await rig.process([given]);
  };
  const lent = async (rig: Rig, bookInfoId: number) => {
    const given = borrow(newUser(), bookInfoId);
    await carriedOut(rig, given);
    return loanDaysOf(rig, given);
  };

  it('apply at another worker, which decided by the former rules, from its next batch on', async () => {
    const [one, other] = [newRig(), newRig()];
    const { bookInfoId } = await newTitle(other, 5);
    expect(await lent(other, bookInfoId)).toBe(14);
    for (const loanDays of [3, 5]) {
      await carriedOut(one, setLoanRules([{ loanDays }]));
      expect(await lent(other, bookInfoId)).toBe(loanDays);
    }
    await carriedOut(one, setLoanRules([]));
    expect(await lent(other, bookInfoId)).toBe(14);
  });

  it('apply beside the calendar, which another worker learns of as well', async () => {
    const [one, other] = [newRig(), newRig()];
    const { bookInfoId } = await newTitle(other, 5);
    expect(await lent(other, bookInfoId)).toBe(14);
    await carriedOut(one, setCalendar({ closedDates: ['2026-03-05', '2026-03-16'] }));
    expect(await lent(other, bookInfoId)).toBe(15);
    await carriedOut(one, setLoanRules([{ loanDays: 3 }]));
    expect(await lent(other, bookInfoId)).toBe(4);
    await carriedOut(one, setCalendar({ timeZone: 'UTC' }));
    expect(await lent(other, bookInfoId)).toBeCloseTo(3.5, 3);
    await carriedOut(one, setCalendar({}));
    await carriedOut(one, setLoanRules([]));
    expect(await lent(other, bookInfoId)).toBe(14);
  });

  it('apply in the batch after the one that sets them', async () => {
    const rig = newRig();
    const { bookInfoId } = await newTitle(rig, 5);
    const given = [borrow(newUser(), bookInfoId), borrow(newUser(), bookInfoId)] as const;
    await rig.processInTurn([[setLoanRules([{ loanDays: 3 }]), given[0]], [given[1]]]);
    expect(given.map((one) => loanDaysOf(rig, one))).toEqual([3, 3]);
  });

  it('apply to the commands behind them, which come in the same batch', async () => {
    const rig = newRig();
    const [lentOut, out] = [await newTitle(rig, 1), await newTitle(rig, 0)];
    const userId = newUser();
    const first = borrow(userId, lentOut.bookInfoId);
    await rig.process([first]);
    now = new Date(START + 20 * DAY_MS);
    const hold = placeHold(userId, out.bookInfoId);
    await rig.process([setLoanRules([{ blockOverdueDays: 0 }]), hold]);
    expect(rig.replied().get(hold.commandId)?.ending).toMatchObject({
      refusal: { code: 'OVERDUE_BLOCKED', ids: { borrowId: rig.result(first)['borrowId'] } },
    });
  });

  it('are for the category that the reader has when the command is carried out', async () => {
    const rig = newRig();
    const { bookInfoId } = await newTitle(rig, 5);
    const userId = newUser();
    await rig.process([borrow(userId, 999_999)]);
    await rig.process([setLoanRules([{ category: 'student', loanDays: 30 }])]);
    await User.update({ category: 'student' }, { where: { id: userId } });
    const given = borrow(userId, bookInfoId);
    await rig.process([given]);
    expect(loanDaysOf(rig, given)).toBe(30);
  });

  it('limit what a reader borrows of a kind, also of copies that were another kind before', async () => {
    const rig = newRig();
    await rig.process([setLoanRules([{ kind: 'dvd', maxOpenBorrows: 1 }])]);
    const titles = [await newTitle(rig, 1), await newTitle(rig, 0), await newTitle(rig, 0)];
    const [first, second, third] = titles.map(({ bookInfoId }) => bookInfoId) as [
      number,
      number,
      number,
    ];
    await rig.process([
      addCopies(second, 1, undefined, 'dvd'),
      addCopies(third, 1, undefined, 'dvd'),
    ]);
    const userId = newUser();
    const given = [borrow(userId, first), borrow(userId, second), borrow(userId, third)];
    for (const one of given) await rig.process([one]);
    expect(rig.endings(given)).toEqual(['created', 'created', 'LOAN_LIMIT_REACHED']);
    const other = newUser();
    const renamed = changeCopy(first, titles[0]!.bookIds[0]!, { kind: 'dvd' });
    const again = [borrow(other, second), borrow(userId, third)];
    await rig.process([renamed]);
    await rig.process(again);
    expect(rig.endings(again)).toEqual(['OUT_OF_STOCK', 'LOAN_LIMIT_REACHED']);
  });

  it('limit holds, and block those whose loans are overdue, with the borrow that is due first', async () => {
    const rig = newRig();
    const out = [await newTitle(rig, 0), await newTitle(rig, 0)].map((title) => title.bookInfoId);
    const lentOut = [await newTitle(rig, 1), await newTitle(rig, 1), await newTitle(rig, 1)];
    const [one, two, three] = lentOut.map((title) => title.bookInfoId) as [number, number, number];
    const userId = newUser();
    const [first, second] = [borrow(userId, one), borrow(userId, two)];
    await rig.process([first]);
    now = new Date(START + DAY_MS);
    await rig.process([second]);
    await rig.process([setLoanRules([{ holdsMax: 1, blockOverdueDays: 0 }])]);
    const holds = out.map((bookInfoId) => placeHold(userId, bookInfoId));
    await rig.process(holds.slice(0, 1));
    await rig.process(holds.slice(1));
    expect(rig.endings(holds)).toEqual(['created', 'HOLD_LIMIT_REACHED']);
    now = new Date(START + 20 * DAY_MS);
    const late = borrow(userId, three);
    await rig.process([late]);
    expect(rig.replied().get(late.commandId)?.ending).toMatchObject({
      refusal: { code: 'OVERDUE_BLOCKED', ids: { borrowId: rig.result(first)['borrowId'] } },
    });
  });
});
