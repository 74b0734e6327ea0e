import { randomUUID } from 'node:crypto';
import { Library, succeeded, uniqueWord } from '../../support/clients/books';
import { Campus } from '../../support/clients/courses';
import { EXPORT_MEMBERS } from '../../support/check/personal-columns';
import { Board } from '../../support/clients/posts';
import { expectProblem } from '../../support/clients/problems';
import { target, type Target } from '../../support/service/target';

/** More than are read at a time. */
const POSTS = 45;

let lendline: Target;
let library: Library;
beforeAll(async () => {
  lendline = await target();
  library = new Library(lendline);
});

interface Row {
  readonly [member: string]: unknown;
}
type Export = Readonly<Record<string, readonly Row[]>> & {
  readonly exportedAt: string;
  readonly account: Row;
};

const exported = async (path: string, token: string) => {
  const response = await library.call('get', path, { token });
  expect(response.headers['content-disposition']).toMatch(
    /^attachment; filename="lendline-user-\d+\.json"$/,
  );
  expect(response.headers['cache-control']).toBe('no-store');
  return succeeded(response, 200) as Export;
};

it('has everything of a person, for them and for administrators', async () => {
  const [username, password] = [uniqueWord(), 'a good pass phrase'];
  const { userId } = succeeded(
    await library.manage('post', '/api/users', { username, password, role: 'lecturer' }),
    201,
  ) as { userId: number };
  const signIn = async () =>
    (
      succeeded(
        await library.call('post', '/api/auth/login', { body: { username, password } }),
        200,
      ) as { accessToken: string }
    ).accessToken;
  const [token, ended] = [await signIn(), await signIn()];
  const person = { userId, username, token };
  succeeded(
    await library.call('patch', '/api/users/me', {
      token,
      body: { email: 'ada@example.org', locale: 'ko' },
    }),
    200,
  );
  succeeded(await library.call('post', '/api/auth/logout', { token: ended }), 204);
  const { borrowId } = await library.borrowed(person, {
    bookInfoId: (await library.registered({ copies: 1 })).bookInfoId,
  });
  const { holdId } = succeeded(
    await library.placeHold(person, (await library.registered({ copies: 0 })).bookInfoId),
    201,
  ) as { holdId: number };
  const campus = new Campus(lendline);
  const [own, other] = [await campus.registered({}, person), await campus.registered()];
  const { subscriptionId } = await campus.subscribed(person, other.courseId);
  const video = await campus.addedVideo(other.courseId);
  succeeded(await campus.completion('put', person, video), 200);
  const full = await campus.registered({ capacity: 1 });
  await campus.subscribed(campus.newReader(), full.courseId);
  await campus.joined(person, full.courseId);
  const board = new Board(lendline);
  const posts = await Promise.all(Array.from({ length: POSTS }, () => board.posted({ userId })));

  const told = await exported('/api/users/me/export', token);
  expect(Object.keys(told).sort()).toEqual(['account', 'exportedAt', ...EXPORT_MEMBERS].sort());
  expect(told.account).toMatchObject({
    userId,
    username,
    role: 'lecturer',
    email: 'ada@example.org',
    locale: 'ko',
    category: 'general',
  });
  const ids = (list: string, id: string) => told[list]?.map((row) => row[id]);
  expect(ids('borrows', 'borrowId')).toEqual([borrowId]);
  expect(ids('holds', 'holdId')).toEqual([holdId]);
  expect(ids('courses', 'courseId')).toEqual([own.courseId]);
  expect(ids('subscriptions', 'subscriptionId')).toEqual([subscriptionId]);
  expect(ids('waits', 'courseId')).toEqual([full.courseId]);
  expect(ids('completions', 'videoId')).toEqual([video.videoId]);
  expect(ids('posts', 'postId')?.sort()).toEqual(posts.map(({ postId }) => postId).sort());
  expect(ids('endedTokens', 'tokenId')).toHaveLength(1);
  expect(ids('commands', 'type')).toEqual(
    expect.arrayContaining(['lending.borrow-book', 'identity.update-profile']),
  );
  expect(ids('audit', 'action')).toEqual(
    expect.arrayContaining(['identity.update-profile', 'courses.register-course']),
  );
  // Who did it is about somebody else.
  expect(told.auditOfAccount).toEqual([
    expect.objectContaining({ action: 'identity.create-account', actor: null, address: null }),
  ]);
  expect(JSON.stringify(told)).not.toMatch(/scrypt|passwordHash":"[^*]/);

  const { exportedAt, ...rest } = told;
  const again = await exported(`/api/users/${userId}/export`, lendline.admin);
  expect(again).toEqual({ ...rest, exportedAt: expect.any(String) });
  expect(Date.parse(exportedAt)).toBeLessThanOrEqual(Date.parse(again.exportedAt));
});

it('has nothing of others', async () => {
  const [one, other] = [library.newReader(), library.newReader()];
  await library.borrowed(one, { bookInfoId: (await library.registered({ copies: 1 })).bookInfoId });
  const told = await exported('/api/users/me/export', other.token);
  expect(told.account).toMatchObject({ userId: other.userId });
  // Whoever reads for the first time gets a row, by a command.
  const full = EXPORT_MEMBERS.filter((member) =>
    told[member]?.some(({ type }) => type !== 'identity.ensure-user'),
  );
  expect(full).toEqual([]);
});

it('answers 404 for an unknown user, and 400 for an invalid id', async () => {
  expectProblem(
    await library.manage('get', `/api/users/${lendline.newUserId()}/export`),
    404,
    'USER_NOT_FOUND',
  );
  expect((await library.manage('get', `/api/users/${randomUUID()}/export`)).status).toBe(400);
});
