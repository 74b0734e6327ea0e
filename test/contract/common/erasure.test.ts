import supertest from 'supertest';
import { Library, succeeded, uniqueWord } from '../../support/clients/books';
import { Campus } from '../../support/clients/courses';
import { Board } from '../../support/clients/posts';
import { expectProblem } from '../../support/clients/problems';
import type { Reader } from '../../support/clients/requests';
import { target, type Target } from '../../support/service/target';
import { waitUntil } from '../../support/wait';

const PASSWORD = 'a good pass phrase';
/** Holds and subscriptions are cancelled in other queues. */
const FOLLOWED_UP_MS = 20_000;

let lendline: Target;
let library: Library;
let campus: Campus;
let board: Board;
beforeAll(async () => {
  lendline = await target();
  library = new Library(lendline);
  campus = new Campus(lendline);
  board = new Board(lendline);
});

async function newAccount(attributes: object = {}): Promise<Reader> {
  const username = uniqueWord();
  const { userId } = succeeded(
    await library.manage('post', '/api/users', { username, password: PASSWORD, ...attributes }),
    201,
  ) as { userId: number };
  const { accessToken } = succeeded(await logIn(username), 200) as { accessToken: string };
  return { userId, username, token: accessToken };
}

const logIn = (username: string) =>
  library.call('post', '/api/auth/login', { body: { username, password: PASSWORD } });
const erase = (userId: number, token = lendline.admin) =>
  library.call('delete', `/api/users/${userId}`, { token });
const erased = async (userId: number, token = lendline.admin) =>
  succeeded(await erase(userId, token), 204) as unknown;

describe('an erased user', () => {
  it('loses name, e-mail address, password and every token', async () => {
    const person = await newAccount();
    succeeded(
      await library.call('patch', '/api/users/me', {
        token: person.token,
        body: { email: 'ada@example.org' },
      }),
      200,
    );
    const ownToken = lendline.token({ userId: person.userId, username: person.username });
    for (const answer of await library.readEverywhere(`/users/${person.userId}`))
      expect(answer.status).toBe(200);
    await erased(person.userId, person.token);
    for (const url of lendline.urls) {
      for (const token of [person.token, ownToken]) {
        expectProblem(
          await supertest(url).get('/api/users/me').auth(token, { type: 'bearer' }),
          401,
          'TOKEN_REVOKED',
        );
      }
    }
    const view = { userId: person.userId, username: `deleted-${person.userId}`, role: 'user' };
    for (const answer of await library.readEverywhere(`/users/${person.userId}`))
      expect(answer.body).toEqual(view);
    expectProblem(await logIn(person.username), 401, 'INVALID_CREDENTIALS');
    expect((await library.manage('get', `/api/users?q=${person.username}`)).body).toMatchObject({
      totalItems: 0,
    });
    expect(
      (await library.manage('get', `/api/users?q=deleted-${person.userId}`)).body,
    ).toMatchObject({ totalItems: 0 });
    const audit = await library.manage('get', `/api/audit?target=user:${person.userId}&size=100`);
    expect(
      (audit.body as { items: { action: string }[] }).items.map(({ action }) => action),
    ).toEqual([...['identity.erase-user', 'identity.update-profile', 'identity.create-account']]);
    expect(audit.text).not.toMatch(new RegExp(`${person.username}|ada@example.org`));
  });

  it('is not found by commands that change, erase, reset or subscribe them', async () => {
    const { userId } = await newAccount();
    const { courseId } = await campus.registered();
    await erased(userId);
    expectProblem(await erase(userId), 404, 'USER_NOT_FOUND');
    expectProblem(
      await library.manage('patch', `/api/users/${userId}`, { status: 'active' }),
      404,
      'USER_NOT_FOUND',
    );
    expectProblem(
      await library.manage('post', `/api/users/${userId}/password-resets`),
      404,
      'USER_NOT_FOUND',
    );
    expectProblem(
      await library.manage('post', `/users/${userId}/courses/${courseId}/subscriptions`),
      404,
      'USER_NOT_FOUND',
    );
  });

  it('frees the name for others', async () => {
    const { userId, username } = await newAccount();
    await erased(userId);
    succeeded(
      await library.call('post', '/api/auth/signup', { body: { username, password: PASSWORD } }),
      201,
    );
  });

  it('stays in histories, posts and courses under an anonymous name', async () => {
    const lecturer = await newAccount({ role: 'lecturer' });
    const name = `deleted-${lecturer.userId}`;
    const borrow = await library.borrowed(lecturer, {
      bookInfoId: (await library.registered({ copies: 1 })).bookInfoId,
    });
    await library.returned(lecturer, { borrowId: borrow.borrowId });
    const { postId } = await board.posted({ userId: lecturer.userId });
    const { courseId } = await campus.registered({}, lecturer);
    const student = campus.newReader();
    await campus.subscribed(student, courseId);
    const reads: [string, string?][] = [
      [`/courses/${courseId}`],
      [`/courses?userId=${lecturer.userId}`],
      [`/users/${student.userId}/courses`, student.token],
    ];
    for (const [path, token] of reads)
      for (const { text } of await library.readEverywhere(path, token))
        expect(text).toContain(lecturer.username);
    await erased(lecturer.userId);
    for (const [path, token] of reads) {
      for (const { text } of await library.readEverywhere(path, token)) {
        expect(text).toContain(name);
        expect(text).not.toContain(lecturer.username);
      }
    }
    expect((await library.manage('get', `/api/borrows/${borrow.borrowId}`)).body).toMatchObject({
      username: name,
      status: 'RETURNED',
    });
    expect((await library.call('get', `/posts/${postId}`)).body).toMatchObject({
      userId: lecturer.userId,
    });
  });

  it('leaves lines and courses: the copy goes to the next in line, and the seat is free', async () => {
    const [person, next] = [await newAccount(), campus.newReader()];
    const { bookInfoId } = await library.registered({ copies: 1 });
    const holder = campus.newReader();
    const borrow = await library.borrowed(holder, { bookInfoId });
    for (const reader of [person, next])
      succeeded(await library.placeHold(reader, bookInfoId), 201);
    await library.returned(holder, { borrowId: borrow.borrowId });
    const { courseId } = await campus.registered({ capacity: 1 });
    await campus.subscribed(person, courseId);
    await erased(person.userId);
    await waitUntil('holds and subscriptions are cancelled', FOLLOWED_UP_MS, async () => {
      const holds = (await library.manage('get', `/api/holds?bookInfoId=${bookInfoId}`)).body as {
        items: { status: string }[];
      };
      const { subscriberCount } = await campus.detail(courseId);
      return (
        subscriberCount === 0 &&
        holds.items.map(({ status }) => status).join() === 'READY,CANCELLED'
      );
    });
    await library.borrowed(next, { bookInfoId });
    await campus.subscribed(next, courseId);
  });
});

describe('the seat of an erased user', () => {
  it('goes to the first in line, and those behind move up', async () => {
    const [holder, first, second, third] = [
      await newAccount(),
      await newAccount(),
      campus.newReader(),
      campus.newReader(),
    ];
    const { courseId } = await campus.registered({ capacity: 1 });
    await campus.subscribed(holder, courseId);
    for (const reader of [first, second, third]) await campus.joined(reader, courseId);
    await erased(first.userId);
    await erased(holder.userId);
    await waitUntil('the second is let in', FOLLOWED_UP_MS, async () => {
      const { subscriberCount, waitingCount } = await campus.detail(courseId);
      return subscriberCount === 1 && waitingCount === 1;
    });
    expect((await campus.taken(second)).body).toMatchObject({ items: [{ courseId }] });
    expect(await campus.waiting(courseId)).toEqual([third.userId]);
  });
});

describe('an erasure', () => {
  it('is refused while books are on loan, and names the borrows', async () => {
    const person = await newAccount();
    const borrows = [];
    for (let count = 0; count < 2; count += 1) {
      borrows.push(
        await library.borrowed(person, {
          bookInfoId: (await library.registered({ copies: 1 })).bookInfoId,
        }),
      );
    }
    // Each worker gives ids out of a block of its own, so later borrows may have smaller ones.
    const borrowIds = borrows.map(({ borrowId }) => borrowId).sort((a, b) => a - b);
    for (const token of [lendline.admin, person.token]) {
      expectProblem(await erase(person.userId, token), 409, 'USER_HAS_LOANS', { borrowIds });
    }
    succeeded(await library.call('get', '/api/users/me', { token: person.token }), 200);
    for (const borrowId of borrowIds) await library.returned(person, { borrowId });
    await erased(person.userId);
  });

  it('answers 404 for an unknown user, and 403 to everybody but the person and administrators', async () => {
    expectProblem(await erase(lendline.newUserId()), 404, 'USER_NOT_FOUND');
    expectProblem(
      await erase((await newAccount()).userId, (await newAccount()).token),
      403,
      'FORBIDDEN',
    );
  });
});
