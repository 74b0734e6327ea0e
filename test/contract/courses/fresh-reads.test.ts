import { succeeded } from '../../support/clients/books';
import {
  openCampus,
  type Campus,
  type Course,
  type Subscription,
} from '../../support/clients/courses';
import type { Reader } from '../../support/clients/requests';

/**
 * A read right after a write shows it, from every API process. All is read before the write too, so
 * that every cache holds the old state.
 */

let campus: Campus;
beforeAll(async () => {
  campus = await openCampus();
});

interface Seen {
  readonly detail: Course;
  readonly listed: Course;
  readonly statuses: readonly string[];
  readonly inProgress: number;
}

async function seenBy(
  { courseId, userId: lecturerId }: Course,
  { userId, token }: Reader,
): Promise<Seen[]> {
  const [details, lists, all, current] = await Promise.all([
    campus.readEverywhere(`/courses/${courseId}`),
    campus.readEverywhere(`/courses?userId=${lecturerId}`),
    campus.readEverywhere(`/users/${userId}/courses?status=all`, token),
    campus.readEverywhere(`/users/${userId}/courses`, token),
  ]);
  return details.map(({ body }, index) => ({
    detail: body as Course,
    listed: (lists[index]!.body.items as Course[])[0]!,
    statuses: (all[index]!.body.items as Subscription[]).map(({ status }) => status),
    inProgress: current[index]?.body.totalItems as number,
  }));
}

/** Makes the write and looks; the same must be seen everywhere. */
async function seenAfter(
  course: Course,
  reader: Reader,
  write: () => Promise<unknown>,
): Promise<Seen> {
  await seenBy(course, reader);
  await write();
  const [first, ...others] = await seenBy(course, reader);
  for (const other of others) expect(other).toEqual(first);
  expect(first!.listed).toEqual(first!.detail);
  return first!;
}

it('a new course is found by a search that found nothing before', async () => {
  const lecturer = campus.newLecturer();
  const path = `/courses?userId=${lecturer.userId}`;
  for (const { body } of await campus.readEverywhere(path)) expect(body.totalItems).toBe(0);
  const course = await campus.registered({}, lecturer);
  for (const { body } of await campus.readEverywhere(path)) expect(body.items).toEqual([course]);
});

it('a new video', async () => {
  const course = await campus.registered();
  const seen = await seenAfter(course, campus.newReader(), () =>
    campus.addedVideo(course.courseId),
  );
  expect(seen.detail).toMatchObject({ videoCount: 1, subscriberCount: 0 });
  expect(seen.detail.modifiedAt >= course.modifiedAt).toBe(true);
});

it('subscribing, cancelling, coming back and completing, each at once', async () => {
  const course = await campus.registered({ capacity: 1 });
  const { courseId } = course;
  const reader = campus.newReader();
  const after = (write: () => Promise<unknown>) => seenAfter(course, reader, write);
  for (let round = 0; round < 3; round += 1) {
    expect(await after(() => campus.subscribed(reader, courseId))).toMatchObject({
      detail: { subscriberCount: 1 },
      statuses: ['in_progress'],
      inProgress: 1,
    });
    expect(await after(() => campus.cancelled(reader, courseId))).toMatchObject({
      detail: { subscriberCount: 0 },
      statuses: ['cancelled'],
      inProgress: 0,
    });
  }
  await campus.subscribed(reader, courseId);
  expect(await after(() => campus.completed(reader, courseId))).toMatchObject({
    detail: { subscriberCount: 1 },
    statuses: ['completed'],
    inProgress: 0,
  });
});

it('a subscription that answers 202 is shown as soon as its command has succeeded', async () => {
  const course = await campus.registered();
  const reader = campus.newReader();
  const seen = await seenAfter(course, reader, async () => {
    const accepted = await campus.call('post', `/courses/${course.courseId}/subscriptions`, {
      token: reader.token,
      headers: { Prefer: 'respond-async' },
    });
    const command = await campus.call('get', `${accepted.body.statusUrl}?wait=30`, {
      token: reader.token,
    });
    expect(succeeded(command, 200)).toMatchObject({ status: 'succeeded', httpStatus: 201 });
  });
  expect(seen).toMatchObject({ detail: { subscriberCount: 1 }, inProgress: 1 });
});
