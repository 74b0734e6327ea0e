import { expectKeys, succeeded } from '../../support/clients/books';
import {
  openCampus,
  SUBSCRIPTION_KEYS,
  type Campus,
  type Subscription,
} from '../../support/clients/courses';
import { expectFaults, expectProblem } from '../../support/clients/problems';

/** PATCH /users/{userId}/courses/{courseId}/status */

let campus: Campus;
beforeAll(async () => {
  campus = await openCampus();
});

async function subscription() {
  const { courseId } = await campus.registered();
  const reader = campus.newReader();
  return { courseId, reader, before: await campus.subscribed(reader, courseId) };
}

it.each<[string, object | undefined]>([
  ['without a body', undefined],
  ['with {"status":"completed"}', { status: 'completed' }],
])('%s is 200 with the completed Subscription', async (_name, body) => {
  const { courseId, reader, before } = await subscription();
  const after: Subscription = succeeded(await campus.complete(reader, courseId, body), 200);
  expectKeys(after, SUBSCRIPTION_KEYS);
  expect(after).toEqual({
    ...before,
    status: 'completed',
    modifiedAt: after.modifiedAt,
    completedAt: after.modifiedAt,
  });
  expect(after.modifiedAt >= before.modifiedAt).toBe(true);
  // A completed course keeps its place.
  expect((await campus.detail(courseId)).subscriberCount).toBe(1);
});

it('again is 200 and nothing changes', async () => {
  const { courseId, reader } = await subscription();
  const first = await campus.completed(reader, courseId);
  for (const body of [undefined, { status: 'completed' }])
    expect(succeeded(await campus.complete(reader, courseId, body), 200)).toEqual(first);
  expect((await campus.taken(reader, '?status=completed')).body.items).toMatchObject([first]);
});

it.each<[unknown, Record<string, string>]>([
  [{ status: 'in_progress' }, { status: 'INVALID_VALUE' }],
  [{ status: 'cancelled' }, { status: 'INVALID_VALUE' }],
  [{ status: 'COMPLETED' }, { status: 'INVALID_VALUE' }],
  [{ status: null }, { status: 'INVALID_VALUE' }],
  [
    { status: 'completed', completedAt: '2024-01-01T00:00:00.000Z' },
    { completedAt: 'UNKNOWN_FIELD' },
  ],
])('with %j is 400 and changes nothing', async (body, faults) => {
  const { courseId, reader, before } = await subscription();
  expectFaults(await campus.complete(reader, courseId, body), faults);
  expect((await campus.taken(reader)).body.items).toMatchObject([before]);
});

it('is 404 SUBSCRIPTION_NOT_FOUND for none and for a cancelled one, and COURSE_NOT_FOUND without the course', async () => {
  const { courseId } = await campus.registered();
  const reader = campus.newReader();
  expectProblem(await campus.complete(reader, courseId), 404, 'SUBSCRIPTION_NOT_FOUND');
  await campus.subscribed(reader, courseId);
  await campus.cancelled(reader, courseId);
  expectProblem(await campus.complete(reader, courseId), 404, 'SUBSCRIPTION_NOT_FOUND');
  expectProblem(await campus.complete(reader, campus.target.newUserId()), 404, 'COURSE_NOT_FOUND');
});

it('is 403 FORBIDDEN for another user, before the body is looked at', async () => {
  const { courseId, reader } = await subscription();
  for (const other of [campus.newReader(), campus.newLecturer()]) {
    for (const body of [undefined, { status: 'nonsense' }]) {
      expectProblem(
        await campus.call('patch', `/users/${reader.userId}/courses/${courseId}/status`, {
          token: other.token,
          body,
        }),
        403,
        'FORBIDDEN',
      );
    }
  }
  expectProblem(
    await campus.call('patch', `/users/${reader.userId}/courses/${courseId}/status`),
    401,
    'UNAUTHENTICATED',
  );
  expect((await campus.taken(reader)).body.totalItems).toBe(1);
});

it('by an administrator is for that user, who must exist', async () => {
  const { courseId, reader } = await subscription();
  expect(
    succeeded(
      await campus.manage('patch', `/users/${reader.userId}/courses/${courseId}/status`),
      200,
    ),
  ).toMatchObject({ userId: reader.userId, status: 'completed' });
  expectProblem(
    await campus.manage('patch', `/users/${campus.target.newUserId()}/courses/${courseId}/status`),
    404,
    'USER_NOT_FOUND',
  );
});

it('is 400 INVALID_ID for invalid ids, and 415 for a body that is not JSON', async () => {
  const { token, userId } = campus.newReader();
  expectFaults(
    await campus.call('patch', '/users/0/courses/x/status', { token }),
    { userId: 'INVALID_ID', courseId: 'INVALID_ID' },
    'INVALID_ID',
  );
  const text = await campus.target
    .api()
    .patch(`/users/${userId}/courses/1/status`)
    .auth(token, { type: 'bearer' })
    .type('text/plain')
    .send('completed');
  expectProblem(text, 415, 'UNSUPPORTED_MEDIA_TYPE');
});
