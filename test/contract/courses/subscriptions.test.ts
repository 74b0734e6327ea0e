import { expectKeys, INSTANT, succeeded } from '../../support/clients/books';
import {
  openCampus,
  SUBSCRIPTION_KEYS,
  type Campus,
  type Subscription,
} from '../../support/clients/courses';
import { expectFaults, expectProblem } from '../../support/clients/problems';
import type { Reader } from '../../support/clients/requests';

/** POST and DELETE /courses/{courseId}/subscriptions, and the same under /users/{userId} */

let campus: Campus;
beforeAll(async () => {
  campus = await openCampus();
});

const FORMS: [string, (userId: number, courseId: number) => string][] = [
  [
    '/courses/{courseId}/subscriptions',
    (_userId, courseId) => `/courses/${courseId}/subscriptions`,
  ],
  [
    '/users/{userId}/courses/{courseId}/subscriptions',
    (userId, courseId) => `/users/${userId}/courses/${courseId}/subscriptions`,
  ],
];

describe.each(FORMS)('%s', (_form, pathOf) => {
  const send = (method: 'post' | 'delete', { userId, token }: Reader, courseId: number) =>
    campus.call(method, pathOf(userId, courseId), { token });

  it('POST is 201 with the whole Subscription, and counts', async () => {
    const { courseId, courseName } = await campus.registered();
    const reader = campus.newReader();
    const subscription: Subscription = succeeded(await send('post', reader, courseId), 201);
    expectKeys(subscription, SUBSCRIPTION_KEYS);
    expect(subscription).toMatchObject({
      userId: reader.userId,
      courseId,
      courseName,
      status: 'in_progress',
      progress: { completedVideos: 0, totalVideos: 0, percent: 0 },
      completedAt: null,
      createdAt: expect.stringMatching(INSTANT),
    });
    expect(subscription.modifiedAt).toBe(subscription.createdAt);
    expect((await campus.detail(courseId)).subscriberCount).toBe(1);
  });

  it('POST says where the subscription is, for that user and administrators', async () => {
    const { courseId } = await campus.registered();
    const reader = campus.newReader();
    const answer = await send('post', reader, courseId);
    const locationOf = (id: number) => `/users/${reader.userId}/courses/${id}/subscriptions`;
    const path = locationOf(courseId);
    expect(answer.headers['location']).toBe(path);
    for (const token of [reader.token, campus.target.admin])
      expect(succeeded(await campus.call('get', path, { token }), 200)).toEqual(answer.body);
    const { token } = campus.newReader();
    expectProblem(await campus.call('get', path, { token }), 403, 'FORBIDDEN');
    const other = await campus.registered();
    expectProblem(
      await campus.manage('get', locationOf(other.courseId)),
      404,
      'SUBSCRIPTION_NOT_FOUND',
    );
  });

  it('POST again is 409 ALREADY_SUBSCRIBED with the subscription, in progress or completed', async () => {
    const { courseId } = await campus.registered();
    const reader = campus.newReader();
    const { subscriptionId } = await campus.subscribed(reader, courseId);
    expectProblem(await send('post', reader, courseId), 409, 'ALREADY_SUBSCRIBED', {
      subscriptionId,
    });
    await campus.completed(reader, courseId);
    expectProblem(await send('post', reader, courseId), 409, 'ALREADY_SUBSCRIBED', {
      subscriptionId,
    });
    expect((await campus.detail(courseId)).subscriberCount).toBe(1);
  });

  it('POST is 409 COURSE_FULL with the course when all seats are taken, and 409 ALREADY_SUBSCRIBED for a subscriber', async () => {
    const { courseId } = await campus.registered({ capacity: 1 });
    const first = campus.newReader();
    const { subscriptionId } = await campus.subscribed(first, courseId);
    expectProblem(await send('post', campus.newReader(), courseId), 409, 'COURSE_FULL', {
      courseId,
    });
    expectProblem(await send('post', first, courseId), 409, 'ALREADY_SUBSCRIBED', {
      subscriptionId,
    });
  });

  it('DELETE is 204 and gives the place to the next one', async () => {
    const { courseId } = await campus.registered({ capacity: 1 });
    const reader = campus.newReader();
    await campus.subscribed(reader, courseId);
    const response = await send('delete', reader, courseId);
    expect([response.status, response.text]).toEqual([204, '']);
    expect((await campus.detail(courseId)).subscriberCount).toBe(0);
    await campus.subscribed(campus.newReader(), courseId);
    expectProblem(await send('post', reader, courseId), 409, 'COURSE_FULL', { courseId });
  });

  it('POST after DELETE brings the same subscription back to in_progress', async () => {
    const { courseId } = await campus.registered({ capacity: 1 });
    const reader = campus.newReader();
    const first = await campus.subscribed(reader, courseId);
    await campus.cancelled(reader, courseId);
    const second: Subscription = succeeded(await send('post', reader, courseId), 201);
    expect(second).toEqual({ ...first, modifiedAt: second.modifiedAt });
    expect(second.modifiedAt >= first.modifiedAt).toBe(true);
    expect((await campus.detail(courseId)).subscriberCount).toBe(1);
  });

  it('DELETE of a completed one is 409 SUBSCRIPTION_COMPLETED with the subscription', async () => {
    const { courseId } = await campus.registered();
    const reader = campus.newReader();
    const { subscriptionId } = await campus.subscribed(reader, courseId);
    await campus.completed(reader, courseId);
    expectProblem(await send('delete', reader, courseId), 409, 'SUBSCRIPTION_COMPLETED', {
      subscriptionId,
    });
  });

  it('DELETE without a subscription in progress is 404 SUBSCRIPTION_NOT_FOUND', async () => {
    const { courseId } = await campus.registered();
    const reader = campus.newReader();
    expectProblem(await send('delete', reader, courseId), 404, 'SUBSCRIPTION_NOT_FOUND');
    await campus.subscribed(reader, courseId);
    await campus.cancelled(reader, courseId);
    expectProblem(await send('delete', reader, courseId), 404, 'SUBSCRIPTION_NOT_FOUND');
    expect((await campus.detail(courseId)).subscriberCount).toBe(0);
  });

  it.each(['post', 'delete'] as const)(
    '%s is 404 COURSE_NOT_FOUND without the course, 401 without a token, and takes no body',
    async (method) => {
      const reader = campus.newReader();
      const missing = pathOf(reader.userId, campus.target.newUserId());
      expectProblem(
        await campus.call(method, missing, { token: reader.token }),
        404,
        'COURSE_NOT_FOUND',
      );
      expectProblem(await campus.call(method, missing), 401, 'UNAUTHENTICATED');
      expectFaults(
        await campus.call(method, missing, { token: reader.token, body: { userId: 1 } }),
        { userId: 'UNKNOWN_FIELD' },
      );
    },
  );

  it('405 names what it takes', async () => {
    const { status, headers } = await campus.manage('patch', pathOf(1, 1));
    const allowed = new Set(headers.allow?.split(', '));
    expect([status, allowed.has('POST'), allowed.has('DELETE')]).toEqual([405, true, true]);
  });
});

describe('in the form that names the user', () => {
  const path = (userId: number | string, courseId: number | string) =>
    `/users/${userId}/courses/${courseId}/subscriptions`;

  it('is 403 FORBIDDEN for another user, a lecturer too, and changes nothing', async () => {
    const { courseId } = await campus.registered();
    const reader = campus.newReader();
    await campus.subscribed(reader, courseId);
    for (const method of ['post', 'delete'] as const) {
      for (const other of [campus.newReader(), campus.newLecturer()])
        expectProblem(
          await campus.call(method, path(reader.userId, courseId), { token: other.token }),
          403,
          'FORBIDDEN',
        );
    }
    expect((await campus.taken(reader)).body.items).toHaveLength(1);
  });

  it('an administrator acts for the user', async () => {
    const { courseId } = await campus.registered();
    const reader = await campus.knownReader();
    expect(
      succeeded(await campus.manage('post', path(reader.userId, courseId)), 201),
    ).toMatchObject({ userId: reader.userId, status: 'in_progress' });
    expect((await campus.taken(reader)).body.items).toMatchObject([{ courseId }]);
    expect((await campus.manage('delete', path(reader.userId, courseId))).status).toBe(204);
    expect((await campus.taken(reader)).body.items).toEqual([]);
  });

  it('is 404 USER_NOT_FOUND when there is no such user', async () => {
    const { courseId } = await campus.registered();
    for (const method of ['post', 'delete'] as const)
      expectProblem(
        await campus.manage(method, path(campus.target.newUserId(), courseId)),
        404,
        'USER_NOT_FOUND',
      );
    expect((await campus.detail(courseId)).subscriberCount).toBe(0);
  });

  it('is 400 INVALID_ID for each invalid id', async () => {
    expectFaults(
      await campus.manage('post', path('x', '0')),
      { userId: 'INVALID_ID', courseId: 'INVALID_ID' },
      'INVALID_ID',
    );
  });
});
