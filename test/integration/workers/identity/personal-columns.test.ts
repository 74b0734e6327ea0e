import { randomBytes, randomUUID } from 'node:crypto';
import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import type { Actor, Envelope } from '../../../../shared/command';
import { DeadLetter } from '../../../../shared/database/dead-letter-tables';
import { accountKey, RIGHTS_KEY } from '../../../../shared/identity/commands';
import { lookOf } from '../../../../shared/identity/names';
import { User } from '../../../../shared/identity/tables';
import { Notice } from '../../../../shared/notices/tables';
import { encodeEnvelope } from '../../../../shared/messaging/envelope';
import { PERSONAL_COLUMNS } from '../../../support/check/personal-columns';
import { admin, borrow, giveBack, placeHold } from '../../../support/models/lending/commands';
import { Rig } from '../batch/rig';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';
import type { Dialect } from '../../../support/servers/templates';
import { newTitle } from '../batch/rows';

/** Whether every column that may tell who somebody is was thought of. */

const PERSONAL_COLUMNS_FILE = 'test/support/check/personal-columns.ts';
/** Names of columns that hold somebody's id, name or address, or may. */
const PERSONAL =
  /user|actor|author|lecturer|owner|reader|person|name|mail|address|phone|login|password/i;
/** Text of any length, which may hold anything. */
const FREE_TEXT = /^(?:medium|long)?text/i;

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
}

const COLUMNS: Readonly<Record<Dialect, string>> = {
  sqlite:
    "SELECT m.name AS `table`, c.name, c.type FROM sqlite_master m JOIN pragma_table_xinfo(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'",
  mysql:
    'SELECT table_name AS `table`, column_name AS name, data_type AS type FROM information_schema.columns WHERE table_schema = DATABASE()',
};

/**
 * Tables that the other database alone has: the broker keeps what is under way, and one process
 * needs no leases.
 */
const ELSEWHERE: Readonly<Record<Dialect, string>> = {
  sqlite: 'lease.',
  mysql: 'pending_command.',
};

/** In no other number. */
const FIRST_USER_ID = 7_130_401_957;

const ADA = {
  username: `Ada ${randomUUID()}`,
  email: `${randomUUID()}@example.org`,
  address: '192.0.2.77',
};

describe.each(DIALECTS)('the schema on %s', (dialect) => {
  let database: Sequelize;
  let columns: Column[];
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
    columns = await database.query<Column>(COLUMNS[dialect], { type: QueryTypes.SELECT });
  });

  it('has no column that may tell who somebody is, and none of free text, of which it is not said how it is erased and exported', () => {
    const found = columns.filter(({ name, type }) => PERSONAL.test(name) || FREE_TEXT.test(type));
    const missing = found
      .map(({ table, name }) => `${table}.${name}`)
      .filter((column) => !(column in PERSONAL_COLUMNS));
    expect(missing.map((column) => `${PERSONAL_COLUMNS_FILE} lacks ${column}`)).toEqual([]);
  });

  it('has every column of which that is said', () => {
    const present = new Set(columns.map(({ table, name }) => `${table}.${name}`));
    const isMissing = (column: string) =>
      !present.has(column) && !column.startsWith(ELSEWHERE[dialect]);
    const gone = Object.keys(PERSONAL_COLUMNS).filter(isMissing);
    expect(gone.map((column) => `no table has ${column} of ${PERSONAL_COLUMNS_FILE}`)).toEqual([]);
  });

  const command = (type: string, payload: object, key: string, actor: Actor): Envelope => {
    const now = Date.now();
    return {
      ...{
        commandId: randomBytes(20).toString('hex'),
        type,
        key,
        actor,
        payload,
        requestId: 'request-personal',
      },
      ...{ createdAt: now, replyTo: 'replies.test', replyBy: now + 600_000, traceparent: null },
      address: actor.username === ADA.username ? ADA.address : '192.0.2.1',
    };
  };

  /** Somebody who has done everything that a person can do. */
  async function live(rig: Rig): Promise<number> {
    const { username, email } = ADA;
    const account = {
      username,
      passwordHash: `hash-${username}`,
      role: 'lecturer',
      isAdmin: false,
    };
    const made = command('identity.create-account', account, accountKey(lookOf(username)), admin());
    const again = command(
      'identity.create-account',
      account,
      accountKey(lookOf(username)),
      admin(),
    );
    await rig.process([made]);
    await rig.process([again]);
    const { userId = 0 } = rig.result(made);
    const ada: Actor = { userId, username, role: 'lecturer', isAdmin: false, isIssued: true };
    const [lent, none] = [await newTitle(rig, 1), await newTitle(rig, 0)];
    const as = (envelope: Envelope): Envelope => ({ ...envelope, actor: ada });
    const course = command(
      'courses.register-course',
      { courseName: 'Course', userId, capacity: null },
      'course-of:ada',
      ada,
    );
    await rig.process([
      command('identity.update-profile', { userId, changes: { email } }, `user:${userId}`, ada),
      command(
        'identity.issue-password-reset',
        { userId, resetId: randomBytes(16).toString('base64url') },
        `user:${userId}`,
        admin(),
      ),
      command(
        'identity.end-token',
        { userId, tokenId: 'token-1', expiresAt: Date.now() },
        `user:${userId}`,
        ada,
      ),
      ...[as(borrow(userId, lent.bookInfoId)), as(placeHold(userId, none.bookInfoId)), course],
      command(
        'posts.create-post',
        { title: 'Title', content: 'Content', tags: ['tag'], userId },
        'post-of:ada',
        ada,
      ),
    ]);
    await rig.process([as(giveBack(userId, lent.bookInfoId))]);
    const { courseId = 0 } = rig.result(course);
    const full = command(
      'courses.register-course',
      { courseName: 'Full', userId, capacity: 1 },
      'course-of:full',
      ada,
    );
    await rig.process([full]);
    const { courseId: fullId = 0 } = rig.result(full);
    const other = { courseId: fullId, userId: admin().userId };
    await rig.process([
      command('courses.subscribe', { courseId, userId }, `course:${courseId}`, ada),
      command('courses.subscribe', other, `course:${fullId}`, admin()),
      command('courses.join-waitlist', { courseId: fullId, userId }, `course:${fullId}`, ada),
    ]);
    await Notice.create({
      ...{ userId, eventId: 'event', type: 'hold.ready', createdAt: new Date() },
      about: '{}',
    } as never);
    const letter = as(borrow(userId, lent.bookInfoId));
    await DeadLetter.create({
      ...{
        commandId: letter.commandId,
        type: letter.type,
        aggregateKey: letter.key,
        partitionName: 'lending.commands.00',
      },
      ...{ content: encodeEnvelope(letter), reason: 'broken', deadAt: new Date() },
    });
    return userId;
  }

  /** The columns in which something of the person can be read. */
  async function telling(userId: number): Promise<string[]> {
    const traces = [
      ADA.username,
      lookOf(ADA.username),
      ADA.username.toLowerCase(),
      ADA.email,
      ADA.address,
      'token-1',
    ];
    const found: string[] = [];
    for (const { table, name } of columns) {
      const rows = await database.query<{ text: unknown }>(
        `SELECT \`${name}\` AS text FROM \`${table}\``,
        { type: QueryTypes.SELECT },
      );
      const tells = (text: string) =>
        text === String(userId) || traces.some((trace) => text.includes(trace));
      if (rows.some(({ text }) => tells(String(text)))) found.push(`${table}.${name}`);
    }
    return found.sort();
  }

  it('tells nothing of a person who was erased, but in the columns of which it is said why', async () => {
    await database.query(`UPDATE id_block SET next_id = ${FIRST_USER_ID} WHERE kind = 'user'`);
    const rig = new Rig({ database });
    const userId = await live(rig);
    const before = await telling(userId);
    const erased = Object.keys(PERSONAL_COLUMNS).filter(
      (column) => PERSONAL_COLUMNS[column]?.erasure === 'erased',
    );
    const untried = erased.filter((name) => name.endsWith('user_id') && !before.includes(name));
    expect(untried.map((column) => `nobody in this test has a row in ${column}`)).toEqual([]);
    expect(before).toEqual(
      expect.arrayContaining([
        'user.username',
        'user.email',
        'user.password_hash',
        'audit.actor_name',
        'audit.address',
        'audit.details',
        'audit.target',
        'dead_letter.content',
        'ended_token.id',
      ]),
    );
    const erasure = command('identity.erase-user', { userId }, RIGHTS_KEY, admin());
    await rig.process([erasure]);
    expect(rig.endings([erasure])).toEqual(['done']);
    // What it left to other aggregates: holds, waitlists.
    await rig.process(
      rig.calls.flatMap((call) => (call.kind === 'forward' ? [call.envelope] : [])),
    );
    const stay = Object.keys(PERSONAL_COLUMNS).filter((column) => !erased.includes(column));
    expect((await telling(userId)).filter((column) => !stay.includes(column))).toEqual([]);
    expect(await User.findByPk(userId, { raw: true })).toMatchObject({
      username: `deleted-${userId}`,
    });
  });
});
