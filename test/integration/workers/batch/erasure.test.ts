import type { Sequelize } from 'sequelize-typescript';
import { Audit } from '../../../../shared/audit/tables';
import type { Actor, Envelope } from '../../../../shared/command';
import { CourseWait, UserCourse } from '../../../../shared/courses/tables';
import { DeadLetter } from '../../../../shared/database/dead-letter-tables';
import { accountKey } from '../../../../shared/identity/commands';
import { lookOf } from '../../../../shared/identity/names';
import { EndedToken, User } from '../../../../shared/identity/tables';
import { BookHold, BookUser } from '../../../../shared/lending/tables';
import { encodeEnvelope } from '../../../../shared/messaging/envelope';
import { waitUntil } from '../../../support/wait';
import { admin, borrow, giveBack, placeHold, user } from '../../../support/models/lending/commands';
import * as courses from '../../../support/models/courses/commands';
import { Rig } from './rig';
import { randomDigits } from '../../../support/models/random-digits';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';
import { newTitle, newUser, storedOutcomes } from './rows';

/** Shorter than InnoDB's own limit, after which a batch would begin anew; milliseconds. */
const WAIT_MS = 1000;

function identity(type: string, payload: object, key: string, actor: Actor): Envelope {
  const now = Date.now();
  return {
    ...{
      commandId: randomDigits(40),
      type,
      key,
      actor,
      payload,
      requestId: 'request-erasure',
    },
    ...{
      createdAt: now,
      replyTo: 'replies.test',
      replyBy: now + 600_000,
      traceparent: null,
      address: '192.0.2.7',
    },
  };
}

const erase = (userId: number, actor = admin()) =>
  identity('identity.erase-user', { userId }, 'rights', actor);
const setEmail = (userId: number) =>
  identity(
    'identity.update-profile',
    { userId, changes: { email: 'ada@example.org' } },
    `user:${userId}`,
    user(userId),
  );

/** A user who is known here, and one administrator besides. */
async function known(rig: Rig): Promise<number> {
  const userId = newUser();
  await rig.process([identity('identity.ensure-user', { userId }, `user:${userId}`, user(userId))]);
  return userId;
}

const openBorrows = (userId: number) => BookUser.count({ where: { userId, status: 'BORROWED' } });

describe.each(DIALECTS)('an erasure on %s', (dialect) => {
  let database: Sequelize;
  let rig: Rig;
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
  });
  beforeEach(() => {
    rig = new Rig({ database });
  });

  it('is refused for a borrow that stands before it in the same batch, and names that', async () => {
    const [userId, { bookInfoId }] = [await known(rig), await newTitle(rig, 1)];
    const commands = [borrow(userId, bookInfoId), erase(userId)];
    await rig.process(commands);
    expect(rig.endings(commands)).toEqual(['created', 'USER_HAS_LOANS']);
    const [refused] = await storedOutcomes([commands[1]!]);
    expect(JSON.parse(refused!.ending)).toMatchObject({
      refusal: { ids: { borrowIds: [rig.result(commands[0]!).borrowId] } },
    });
  });

  it('ends what the person sends behind it in the same batch', async () => {
    const [userId, { bookInfoId }, none] = [
      await known(rig),
      await newTitle(rig, 1),
      await newTitle(rig, 0),
    ];
    const commands = [
      erase(userId),
      borrow(userId, bookInfoId),
      placeHold(userId, none.bookInfoId),
    ];
    await rig.process(commands);
    expect(rig.endings(commands)).toEqual(['done', 'TOKEN_REVOKED', 'TOKEN_REVOKED']);
    expect([await openBorrows(userId), await BookHold.count({ where: { userId } })]).toEqual([
      0, 0,
    ]);
  });

  it('cancels holds in the queues of their titles, and the copy set aside goes to the next in line', async () => {
    const [first, second, { bookInfoId }] = [
      await known(rig),
      await known(rig),
      await newTitle(rig, 1),
    ];
    const other = await known(rig);
    await rig.process([
      borrow(other, bookInfoId),
      placeHold(first, bookInfoId),
      placeHold(second, bookInfoId),
    ]);
    await rig.process([giveBack(other, bookInfoId)]);
    await rig.process([erase(first)]);
    const forwarded = rig.of('forward').map(({ envelope }) => envelope);
    expect(forwarded.map(({ type, key }) => [type, key])).toEqual([
      ['lending.cancel-hold', `book-info:${bookInfoId}`],
    ]);
    await rig.process(forwarded);
    const holds = await BookHold.findAll({ where: { bookInfoId }, order: ['id'], raw: true });
    expect(holds.map(({ userId, status }) => [userId, status])).toEqual([
      [first, 'CANCELLED'],
      [second, 'READY'],
    ]);
  });

  it('leaves no name, address or e-mail address in the row, the audit and the dead letters', async () => {
    const userId = await known(rig);
    const name = `user-${userId}`;
    const letter = { ...borrow(userId, 1), actor: { ...user(userId), isAdmin: true } };
    await DeadLetter.create({
      ...{
        commandId: letter.commandId,
        type: letter.type,
        aggregateKey: letter.key,
        partitionName: 'lending.commands.00',
      },
      ...{ content: encodeEnvelope(letter), reason: 'broken', deadAt: new Date() },
    });
    await EndedToken.create({ id: `token-${userId}`, userId, expiresAt: new Date() });
    const told = {
      at: new Date(),
      action: 'identity.create-account',
      details: JSON.stringify({ status: 'failed', payload: { username: name } }),
    };
    await Audit.create({
      ...told,
      actorId: 1,
      actorName: 'user-1',
      target: accountKey(lookOf(name)),
      address: '192.0.2.1',
      requestId: null,
    });
    await rig.process([setEmail(userId)]);
    await rig.process([erase(userId, user(userId))]);
    const row = await User.findByPk(userId, { raw: true });
    expect(row).toMatchObject({
      username: `deleted-${userId}`,
      loginName: null,
      loginLook: null,
      passwordHash: null,
      email: null,
      tokenGeneration: 1,
    });
    expect(row?.erasedAt).not.toBeNull();
    const audit = await Audit.findAll({
      where: { target: [`user:${userId}`, accountKey(lookOf(name))] },
      order: ['id'],
      raw: true,
    });
    expect(audit.map(({ action, actorName, address }) => [action, actorName, address])).toEqual([
      ['identity.create-account', 'user-1', '192.0.2.1'],
      ['identity.update-profile', `deleted-${userId}`, null],
      ['identity.erase-user', `deleted-${userId}`, null],
    ]);
    const letters = await DeadLetter.findAll({ where: { commandId: letter.commandId }, raw: true });
    const texts = JSON.stringify([audit, letters]);
    expect(texts).not.toContain(`${name}"`);
    expect(texts).not.toContain('ada@example.org');
    expect(JSON.parse(letters[0]!.content)).toMatchObject({
      actor: { userId, username: `deleted-${userId}` },
    });
    expect(await EndedToken.count({ where: { userId } })).toBe(0);
  });
});

describe('an erasure beside a borrow at another worker', () => {
  let database: Sequelize;
  let lender: Rig;
  let eraser: Rig;
  beforeAll(async () => {
    database = await emptyDatabase('mysql');
  });
  beforeEach(() => {
    [lender, eraser] = [new Rig({ database }), new Rig({ database })];
  });

  /**
   * What waits for the lock of a user's row; InnoDB's own view of it is renewed only now and then.
   */
  async function lockWaits(): Promise<boolean> {
    const locking =
      "info LIKE 'SELECT%`user`%' AND (info LIKE '%FOR UPDATE' OR info LIKE '%SHARE MODE')";
    const [rows] = await database.query(
      `SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND ${locking}`,
    );
    return rows.length > 0;
  }

  /**
   * Begins `second` when `first` has read and decided, and lets `first` go on once that waits for a
   * lock.
   */
  async function meet(
    first: readonly [Rig, Envelope],
    second: readonly [Rig, Envelope],
  ): Promise<(string | undefined)[]> {
    let later: Promise<void> | undefined;
    first[0].hooks.between = async () => {
      later ??= second[0].process([second[1]]);
      // Where it does not wait, the endings tell.
      await waitUntil('the other waits for a lock', WAIT_MS, lockWaits).catch(() => undefined);
    };
    await first[0].process([first[1]]);
    await later;
    return [...first[0].endings([first[1]]), ...second[0].endings([second[1]])];
  }

  it.each([0, 5])(
    'waits for the borrow and is refused, with a limit of %i borrows',
    async (maxOpenBorrows) => {
      lender = new Rig({ database, settings: { MAX_OPEN_BORROWS: maxOpenBorrows } });
      const [userId, { bookInfoId }] = [await known(lender), await newTitle(lender, 1)];
      const [lend, end] = [borrow(userId, bookInfoId), erase(userId)];
      const ends = await meet([lender, lend], [eraser, end]);
      expect(ends).toEqual(['created', 'USER_HAS_LOANS']);
      expect(await openBorrows(userId)).toBe(1);
    },
  );

  it('keeps the borrow waiting, which is refused then', async () => {
    const [userId, { bookInfoId }] = [await known(lender), await newTitle(lender, 1)];
    expect(await meet([eraser, erase(userId)], [lender, borrow(userId, bookInfoId)])).toEqual([
      'done',
      'TOKEN_REVOKED',
    ]);
    expect(await openBorrows(userId)).toBe(0);
  });

  /** Who waits for a course of one seat, and the command that frees it. */
  async function queued(): Promise<[userId: number, courseId: number, frees: Envelope]> {
    const [holder, userId] = [newUser(), await known(lender)];
    const made = courses.register(courses.lecturer(holder), holder, 1);
    await lender.process([made]);
    const courseId = lender.result(made)['courseId'] as number;
    await lender.process([courses.subscribe(courseId, holder), courses.join(courseId, userId)]);
    return [userId, courseId, courses.cancel(courseId, holder)];
  }

  it('gives no seat to a user who is erased first', async () => {
    const [userId, courseId, frees] = await queued();
    const ends = await meet([eraser, erase(userId)], [lender, frees]);
    expect(ends).toEqual(['done', 'done']);
    expect(await UserCourse.count({ where: { courseId, userId } })).toBe(0);
    expect(await CourseWait.count({ where: { courseId } })).toBe(0);
  });

  it('waits for a seat that is given first, and frees it afterwards', async () => {
    const [userId, courseId, frees] = await queued();
    expect(await meet([lender, frees], [eraser, erase(userId)])).toEqual(['done', 'done']);
    const status = 'in_progress';
    const seats = () => UserCourse.count({ where: { courseId, userId, status } });
    expect(await seats()).toBe(1);
    await lender.process(eraser.of('forward').map(({ envelope }) => envelope));
    expect(await seats()).toBe(0);
  });
});
