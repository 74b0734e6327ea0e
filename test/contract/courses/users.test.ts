import { expectKeys, LIST_KEYS, succeeded, uniqueWord } from '../../support/clients/books';
import {
  LIST_PATHS,
  openCampus,
  SUBSCRIPTION_KEYS,
  type Campus,
  type Course,
  type Subscription,
} from '../../support/clients/courses';
import { expectFaults, expectProblem } from '../../support/clients/problems';
import type { Reader } from '../../support/clients/requests';

/** GET /users/{userId} and GET /users/{userId}/courses in its three forms */

let campus: Campus;
beforeAll(async () => {
  campus = await openCampus();
});

describe('GET /users/{userId}', () => {
  it('shows id, name and role to anybody, with an ETag', async () => {
    for (const role of ['user', 'lecturer'] as const) {
      const { userId, username } = await campus.knownReader(role);
      const response = await campus.call('get', `/users/${userId}`);
      expect([response.status, response.body]).toEqual([200, { userId, username, role }]);
      const again = await campus.call('get', `/users/${userId}`, {
        headers: { 'If-None-Match': response.headers.etag ?? '' },
      });
      expect(again.status).toBe(304);
    }
  });

  it('is 404 USER_NOT_FOUND until there is one, and where the Location of a new account leads', async () => {
    const reader = campus.newReader();
    expectProblem(await campus.call('get', `/users/${reader.userId}`), 404, 'USER_NOT_FOUND');
    succeeded(await campus.taken(reader), 200);
    expect(succeeded(await campus.call('get', `/users/${reader.userId}`), 200).userId).toBe(
      reader.userId,
    );
    const username = uniqueWord();
    const made = await campus.manage('post', '/api/users', {
      username,
      password: 'a good pass phrase',
      role: 'lecturer',
    });
    expect(succeeded(await campus.call('get', made.headers.location ?? ''), 200)).toEqual({
      userId: made.body.userId,
      username,
      role: 'lecturer',
    });
  });

  it.each(['0', 'x', '-1', 'courses', '9007199254740992'])(
    'is 400 INVALID_ID for %s',
    async (id) => {
      expectFaults(
        await campus.call('get', `/users/${id}`),
        { userId: 'INVALID_ID' },
        'INVALID_ID',
      );
    },
  );
});

describe.each(LIST_PATHS.map((pathOf) => [pathOf('{userId}'), pathOf] as const))(
  'GET %s',
  (_form, pathOf) => {
    let reader: Reader;
    let courses: Course[];
    beforeAll(async () => {
      reader = campus.newReader();
      courses = [
        await campus.registered(),
        await campus.registered(),
        await campus.registered(),
        await campus.registered(),
      ];
      for (const { courseId } of courses) await campus.subscribed(reader, courseId);
      await campus.completed(reader, courses[1]!.courseId);
      await campus.cancelled(reader, courses[2]!.courseId);
    });

    const list = (query = '', token = reader.token) =>
      campus.call('get', `${pathOf(reader.userId)}${query}`, { token });
    const found = async (query: string) =>
      ((await list(query)).body.items as Subscription[]).map(({ courseId }) =>
        courses.findIndex((course) => course.courseId === courseId),
      );

    it('lists subscriptions with their lecturer, the latest first', async () => {
      const { status, body, headers } = await list();
      expect([status, headers['x-total-count']]).toEqual([200, '2']);
      expectKeys(body, LIST_KEYS);
      for (const item of body.items as object[])
        expectKeys(item, [...SUBSCRIPTION_KEYS, 'lecturer']);
      const { courseId, courseName, lecturer } = courses[3]!;
      expect(body.items[0]).toMatchObject({
        userId: reader.userId,
        courseId,
        courseName,
        lecturer,
        status: 'in_progress',
        completedAt: null,
      });
    });

    it.each([
      ['', [3, 0]],
      ['?status=in_progress', [3, 0]],
      ['?status=completed', [1]],
      ['?status=cancelled', [2]],
      ['?status=all', [3, 2, 1, 0]],
      ['?status=all&page=2&size=3', [0]],
      ['?status=all&page=9', []],
    ])('filters by the status "%s"', async (query, expected) => {
      expect(await found(query)).toEqual(expected);
    });

    it('is for that user and an administrator, and 403 for others', async () => {
      expect((await list('?status=all', campus.target.admin)).body).toEqual(
        (await list('?status=all')).body,
      );
      for (const other of [campus.newReader(), campus.newLecturer()])
        expectProblem(await list('', other.token), 403, 'FORBIDDEN');
      expectProblem(await campus.call('get', pathOf(reader.userId)), 401, 'UNAUTHENTICATED');
    });

    it('is never mixed between users', async () => {
      const other = campus.newReader();
      expect(
        (await campus.call('get', pathOf(other.userId), { token: other.token })).body,
      ).toMatchObject({ items: [], totalItems: 0 });
      expect((await list()).body.totalItems).toBe(2);
    });

    it('is 404 USER_NOT_FOUND for an administrator who asks for an unknown user', async () => {
      expectProblem(
        await campus.manage('get', pathOf(campus.target.newUserId())),
        404,
        'USER_NOT_FOUND',
      );
    });

    it.each(['0', 'x', '01', '9007199254740992'])('is 400 INVALID_ID for %s', async (id) => {
      expectFaults(
        await campus.call('get', pathOf(id), { token: reader.token }),
        { userId: 'INVALID_ID' },
        'INVALID_ID',
      );
    });

    it.each<[string, Record<string, string>]>([
      ['?status=COMPLETED', { status: 'INVALID_VALUE' }],
      ['?status=', { status: 'INVALID_VALUE' }],
      ['?status=all&status=completed', { status: 'REPEATED_PARAMETER' }],
      ['?sort=status', { sort: 'UNKNOWN_PARAMETER' }],
    ])('is 400 for %s', async (query, faults) => {
      expectFaults(await list(query), faults);
    });

    it('answers 405 to other methods', async () => {
      const { status, headers } = await campus.manage('post', pathOf(reader.userId));
      expect([status, headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
    });
  },
);
