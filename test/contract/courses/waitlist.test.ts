import { expectKeys, succeeded } from '../../support/clients/books';
import { openCampus, WAIT_KEYS, type Campus } from '../../support/clients/courses';
import { keptEvents } from '../../support/clients/event-tour';
import { expectProblem } from '../../support/clients/problems';
import type { Reader } from '../../support/clients/requests';
import { waitUntil } from '../../support/wait';

/** POST, DELETE and GET /courses/{courseId}/waitlist, and who gets a seat that comes free */

const EVENTS_MS = 30_000;
/** Most users who wait for one course. */
const WAITLIST_MAX = 1000;
const AT_ONCE = 50;

let campus: Campus;
beforeAll(async () => {
  campus = await openCampus();
});

/** A full course of one seat, who has it, and who waits. */
async function queued(count: number): Promise<[number, Reader, Reader[]]> {
  const { courseId } = await campus.registered({ capacity: 1 });
  const holder = campus.newReader();
  await campus.subscribed(holder, courseId);
  const waiting = Array.from({ length: count }, () => campus.newReader());
  for (const reader of waiting) await campus.joined(reader, courseId);
  return [courseId, holder, waiting];
}

/** That a user takes a course is shown by every API. */
async function expectTaken({ userId, token }: Reader, courseId: number): Promise<void> {
  for (const { body } of await campus.readEverywhere(`/users/${userId}/courses`, token))
    expect(body.items).toMatchObject([{ courseId, status: 'in_progress' }]);
}

describe('waiting', () => {
  it('for a full course is 201 with the position, and is counted at the course', async () => {
    const [courseId] = await queued(1);
    const reader = campus.newReader();
    const wait = succeeded(await campus.join(reader, courseId), 201) as object;
    expectKeys(wait, WAIT_KEYS);
    expect(wait).toMatchObject({
      courseId,
      userId: reader.userId,
      username: reader.username,
      position: 2,
    });
    for (const { body } of await campus.readEverywhere(`/courses/${courseId}`))
      expect(body).toMatchObject({ waitingCount: 2, subscriberCount: 1 });
  });

  it('is 409 SEATS_AVAILABLE while there are seats', async () => {
    const { courseId } = await campus.registered({ capacity: 1 });
    expectProblem(await campus.join(campus.newReader(), courseId), 409, 'SEATS_AVAILABLE', {
      courseId,
    });
  });

  it('is 409 WAITLIST_FULL once a thousand users wait', async () => {
    const [courseId] = await queued(0);
    for (let waiting = 0; waiting < WAITLIST_MAX; waiting += AT_ONCE)
      await Promise.all(
        Array.from({ length: AT_ONCE }, () => campus.joined(campus.newReader(), courseId)),
      );
    expectProblem(await campus.join(campus.newReader(), courseId), 409, 'WAITLIST_FULL', {
      courseId,
    });
  });

  it('again is 409 ALREADY_WAITING', async () => {
    const [courseId, , [reader]] = await queued(1);
    expectProblem(await campus.join(reader!, courseId), 409, 'ALREADY_WAITING', { courseId });
  });

  it('by a subscriber is 409 ALREADY_SUBSCRIBED', async () => {
    const [courseId, holder] = await queued(0);
    expectProblem(await campus.join(holder, courseId), 409, 'ALREADY_SUBSCRIBED', {
      subscriptionId: expect.any(Number),
    });
  });

  it('is 401 without a token, and 404 without the course', async () => {
    const [courseId] = await queued(0);
    expectProblem(
      await campus.call('post', `/courses/${courseId}/waitlist`),
      401,
      'UNAUTHENTICATED',
    );
    const nowhere = campus.target.newUserId();
    expectProblem(await campus.join(campus.newReader(), nowhere), 404, 'COURSE_NOT_FOUND');
    expectProblem(await campus.leaveWaitlist(campus.newReader(), nowhere), 404, 'COURSE_NOT_FOUND');
  });

  it('ends with 204, moves others up, and is 404 the second time', async () => {
    const [courseId, holder, [first, second]] = await queued(2);
    expect((await campus.leaveWaitlist(first!, courseId)).status).toBe(204);
    expect(await campus.waiting(courseId)).toEqual([second!.userId]);
    expect(await campus.detail(courseId)).toMatchObject({ waitingCount: 1 });
    expectProblem(await campus.leaveWaitlist(first!, courseId), 404, 'WAITLIST_ENTRY_NOT_FOUND');
    await campus.cancelled(holder, courseId);
    await expectTaken(second!, courseId);
  });
});

describe('the waitlist', () => {
  it('is visible in order to the lecturer and administrators only', async () => {
    const lecturer = campus.newLecturer();
    const { courseId } = await campus.registered({ capacity: 1 }, lecturer);
    await campus.subscribed(campus.newReader(), courseId);
    const readers = [campus.newReader(), campus.newReader(), campus.newReader()];
    for (const reader of readers) await campus.joined(reader, courseId);
    for (const token of [lecturer.token, campus.target.admin]) {
      const { body } = await campus.call('get', `/courses/${courseId}/waitlist?page=2&size=2`, {
        token,
      });
      expect(body).toMatchObject({
        items: [{ userId: readers[2]!.userId, position: 3 }],
        totalItems: 3,
      });
    }
    for (const { token } of [readers[0]!, campus.newLecturer()])
      expectProblem(
        await campus.call('get', `/courses/${courseId}/waitlist`, { token }),
        403,
        'FORBIDDEN',
      );
  });
});

describe('a seat that comes free goes to the first who waits', () => {
  it('when somebody cancels, before any new user', async () => {
    const [courseId, holder, [first, second]] = await queued(2);
    await campus.cancelled(holder, courseId);
    await expectTaken(first!, courseId);
    expect(await campus.waiting(courseId)).toEqual([second!.userId]);
    expect(await campus.detail(courseId)).toMatchObject({ subscriberCount: 1, waitingCount: 1 });
    expectProblem(await campus.subscribe(holder, courseId), 409, 'COURSE_FULL', { courseId });
  });

  it('at once: the command that frees it tells who was let in', async () => {
    const [courseId, holder, [first]] = await queued(1);
    await campus.cancelled(holder, courseId);
    const told = () => keptEvents(campus, `course:${courseId}`);
    await waitUntil('the events', EVENTS_MS, async () => (await told()).length >= 5);
    const events = (await told()).slice(3);
    expect(events).toMatchObject([
      { type: 'courses.subscription.cancelled', data: { userId: holder.userId } },
      {
        type: 'courses.waitlist.promoted',
        data: { userId: first!.userId, courseId, status: 'in_progress' },
      },
    ]);
    expect(new Set(events.map(({ commandId }) => commandId)).size).toBe(1);
  });

  it('when the capacity grows, as many as there are seats', async () => {
    const [courseId, , [first, second, third]] = await queued(3);
    const course = await campus.changedCourse(courseId, { capacity: 3 });
    expect(course).toMatchObject({ capacity: 3, subscriberCount: 3, waitingCount: 1 });
    for (const reader of [first!, second!]) await expectTaken(reader, courseId);
    expect(await campus.waiting(courseId)).toEqual([third!.userId]);
    expect(await campus.changedCourse(courseId, { capacity: null })).toMatchObject({
      subscriberCount: 4,
      waitingCount: 0,
    });
    await expectTaken(third!, courseId);
  });

  it('when the course opens again, and not before', async () => {
    const [courseId, holder, [first]] = await queued(1);
    await campus.changedCourse(courseId, { status: 'closed' });
    await campus.cancelled(holder, courseId);
    expect(await campus.waiting(courseId)).toEqual([first!.userId]);
    expect(await campus.changedCourse(courseId, { status: 'open' })).toMatchObject({
      subscriberCount: 1,
      waitingCount: 0,
    });
    await expectTaken(first!, courseId);
  });

  it('under the id that a cancelled subscription had', async () => {
    const { courseId } = await campus.registered({ capacity: 1 });
    const [back, holder] = [campus.newReader(), campus.newReader()];
    const { subscriptionId } = await campus.subscribed(back, courseId);
    await campus.cancelled(back, courseId);
    await campus.subscribed(holder, courseId);
    await campus.joined(back, courseId);
    await campus.cancelled(holder, courseId);
    const { body } = await campus.taken(back);
    expect(body.items).toMatchObject([{ subscriptionId, status: 'in_progress' }]);
  });

  it('and ends with the course', async () => {
    const [courseId, holder, [first]] = await queued(1);
    await campus.completed(holder, courseId);
    expect((await campus.manage('delete', `/courses/${courseId}`)).status).toBe(204);
    expectProblem(await campus.leaveWaitlist(first!, courseId), 404, 'COURSE_NOT_FOUND');
    expect((await campus.taken(first!)).body.items).toEqual([]);
  });

  it('under 40 cancellations and 40 who come at the same time, in the order of the line', async () => {
    const { courseId } = await campus.registered({ capacity: 20 });
    const holders = Array.from({ length: 20 }, () => campus.newReader());
    for (const reader of holders) await campus.subscribed(reader, courseId);
    const waiting = Array.from({ length: 20 }, () => campus.newReader());
    for (const reader of waiting) await campus.joined(reader, courseId);
    const late = Array.from({ length: 20 }, () => campus.newReader());
    const answers = await Promise.all([
      ...holders.slice(0, 10).map((reader) => campus.cancel(reader, courseId)),
      ...late.map((reader) => campus.subscribe(reader, courseId)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 10 }, () => 204),
      ...late.map(() => 409),
    ]);
    expect(await campus.waiting(courseId)).toEqual(waiting.slice(10).map(({ userId }) => userId));
    for (const reader of waiting.slice(0, 10)) await expectTaken(reader, courseId);
    expect(await campus.detail(courseId)).toMatchObject({ subscriberCount: 20, waitingCount: 10 });
  });
});
