import { pino } from 'pino';
import type { Sequelize } from 'sequelize-typescript';
import type { Locale } from '../../../../shared/identity/commands';
import { User } from '../../../../shared/identity/tables';
import { Notice } from '../../../../shared/notices/tables';
import { NOTICE_TYPES, type NoticeType } from '../../../../shared/notices/views';
import { noticeMail } from '../../../../workers/notices/mail';
import { MailServer, type Mail } from '../../../support/clients/mail-server';
import { onCleanUp } from '../../../support/run/cleanup';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const FROM = 'Library <library@example.org>';
const silent = pino({ level: 'silent' });

const decoded = (mail: Mail | undefined): string => {
  const [head = '', body = ''] = mail?.content.split('\r\n\r\n') ?? [];
  if (/base64/i.test(head)) return Buffer.from(body, 'base64').toString('utf8');
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
};

describe.each(DIALECTS)('e-mails of notices on %s', (dialect) => {
  let database: Sequelize;
  const server = new MailServer();
  let at = Date.now();
  let last = 0;

  beforeAll(async () => {
    database = await emptyDatabase(dialect);
    await server.start();
    onCleanUp(() => server.stop());
  });
  beforeEach(async () => {
    server.refusal = null;
    server.mails.length = 0;
    await Notice.destroy({ where: {} });
  });

  const run = () =>
    noticeMail({
      database,
      url: server.url,
      from: FROM,
      now: () => new Date(at),
      logger: silent,
    }).run();

  async function user(email: string | null, locale: Locale = 'en'): Promise<number> {
    const id = (last += 1) + 1000;
    const createdAt = new Date(at);
    await User.create({
      ...{ id, username: `user-${id}`, role: 'user', loginName: null, passwordHash: null },
      ...{ email, locale, createdAt },
    });
    return id;
  }

  async function notify(userId: number, type: NoticeType = 'lending.hold.ready') {
    last += 1;
    const about = { title: 'Dune', bookInfoId: 1, borrowId: null, holdId: 2, courseId: null };
    return Notice.create({
      ...{ userId, type, eventId: `${String(last).padStart(40, '0')}.1` },
      about: JSON.stringify({ ...about, until: '2026-12-05T18:00:00.000Z' }),
      ...{ createdAt: new Date(at), mailAt: new Date(at) },
    });
  }

  it('are sent once to every receiver with an address, in their language', async () => {
    await notify(await user('ada@example.org'));
    const { eventId } = await notify(await user('kim@example.org', 'ko'));
    await notify(await user(null));
    await run();
    await run();
    const mails = [...server.mails].sort((a, b) => a.to.localeCompare(b.to));
    expect(mails.map(({ to }) => to)).toEqual(['ada@example.org', 'kim@example.org']);
    const [ada, kim] = mails;
    expect(ada?.content).toMatch(/^From: Library <library@example\.org>$/m);
    expect(ada?.content).toMatch(/^Subject: Ready for you: Dune\r$/m);
    expect(decoded(ada)).toContain('"Dune" is set aside for you');
    expect(decoded(ada)).toContain('December 5, 2026');
    expect(decoded(kim)).toContain('2026년 12월 5일');
    expect(decoded(kim)).toContain('준비되었습니다');
    expect(kim?.content).toContain(`Message-ID: <${eventId}@lendline>`);
  });

  it('say something of every type in both languages', async () => {
    for (const locale of ['en', 'ko'] as const) {
      const userId = await user(`all@${locale}.example.org`, locale);
      for (const type of NOTICE_TYPES) await notify(userId, type);
    }
    await run();
    expect(new Set(server.mails.map(decoded)).size).toBe(2 * NOTICE_TYPES.length);
    for (const mail of server.mails) expect(decoded(mail)).toContain('Dune');
  });

  it('are not sent of a notice that was read before', async () => {
    const notice = await notify(await user('ada@example.org'));
    await notice.update({ readAt: new Date(at) });
    await run();
    expect(server.mails).toEqual([]);
  });

  it('wait while the mail server is unavailable, and are not counted as refused', async () => {
    const notice = await notify(await user('ada@example.org'));
    await server.stop();
    for (let time = 0; time < 8; time += 1) await expect(run()).rejects.toThrow('ECONNREFUSED');
    await server.start();
    await run();
    expect(server.mails).toHaveLength(1);
    expect(await notice.reload()).toMatchObject({ mailAt: null, mailTries: 0 });
  });

  it('are sent again when the mail server refuses them for now, and given up after some tries', async () => {
    const notice = await notify(await user('ada@example.org'));
    server.refusal = 451;
    await run();
    expect(await notice.reload()).toMatchObject({ mailTries: 1 });
    server.refusal = null;
    await run();
    expect(server.mails).toEqual([]);
    at += MINUTE_MS;
    await run();
    expect(server.mails).toHaveLength(1);

    const other = await notify(await user('eve@example.org'));
    server.refusal = 451;
    for (let time = 0; time < 10; time += 1) {
      await run();
      at += 5 * 60 * MINUTE_MS;
    }
    expect(await other.reload()).toMatchObject({ mailAt: null, mailTries: 6 });
  });

  it('are given up at once for a receiver who does not exist, and hold up no others', async () => {
    const notice = await notify(await user('nobody@example.org'));
    server.refusal = 550;
    await run();
    expect(await notice.reload()).toMatchObject({ mailAt: null, mailTries: 1 });
    server.refusal = null;
    await notify(await user('ada@example.org'));
    await run();
    expect(server.mails.map(({ to }) => to)).toEqual(['ada@example.org']);
  });

  it('are not sent a day late', async () => {
    await notify(await user('ada@example.org'));
    at += DAY_MS;
    await run();
    expect(server.mails).toEqual([]);
  });
});
