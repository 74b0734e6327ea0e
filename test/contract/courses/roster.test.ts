import { expectKeys, LIST_KEYS, succeeded, uniqueWord } from '../../support/clients/books';
import {
  openCampus,
  SUBSCRIPTION_KEYS,
  type Campus,
  type Subscription,
} from '../../support/clients/courses';
import { keptEvents } from '../../support/clients/event-tour';
import { expectFaults, expectProblem } from '../../support/clients/problems';
import { waitUntil } from '../../support/wait';

/** GET /courses/{courseId}/subscriptions and POST /courses/{courseId}/subscriptions/bulk */

const EVENTS_MS = 30_000;

let campus: Campus;
beforeAll(async () => {
  campus = await openCampus();
});

const roster = (courseId: number, query = '', token = campus.target.admin) =>
  campus.call('get', `/courses/${courseId}/subscriptions${query}`, { token });
const enrol = (courseId: number, userIds: unknown, token = campus.target.admin) =>
  campus.call('post', `/courses/${courseId}/subscriptions/bulk`, { token, body: { userIds } });

interface Bulk {
  readonly subscribed: readonly Subscription[];
  readonly refused: readonly { readonly userId: number; readonly code: string }[];
}

describe('the roster', () => {
  it('has the subscriptions with the names, the latest first, by status and part of a name', async () => {
    const lecturer = campus.newLecturer();
    const { courseId } = await campus.registered({}, lecturer);
    const word = uniqueWord();
    const names = [`${word}-Ada`, `${word}-ben`, `${word}-cyn`];
    const readers = names.map((username) => campus.newReader({ username }));
    for (const reader of readers) await campus.subscribed(reader, courseId);
    const [ada, ben] = [readers[0]!, readers[1]!];
    await campus.completed(ada, courseId);
    await campus.cancelled(ben, courseId);
    const shown = async (query: string) => {
      const { body } = await roster(courseId, query, lecturer.token);
      return (body.items as { username: string }[]).map(({ username }) => username);
    };
    const { body } = await roster(courseId, '?size=1');
    expectKeys(body, LIST_KEYS);
    expectKeys(body.items[0], [...SUBSCRIPTION_KEYS, 'username']);
    expect(body).toMatchObject({ totalItems: 3, items: [{ username: names[2] }] });
    expect(await shown('')).toEqual([...names].reverse());
    expect(await shown('?status=completed')).toEqual([names[0]]);
    expect(await shown('?status=cancelled')).toEqual([names[1]]);
    expect(await shown(`?q=${word}-ADA`)).toEqual([names[0]]);
    expect(await shown('?q=_')).toEqual([]);
    // With the hyphen, for "ada" may stand among the random digits of every name.
    expect(await shown('?status=in_progress&q=-ada')).toEqual([]);
  });

  it('is for the lecturer of the course and administrators', async () => {
    const { courseId } = await campus.registered();
    const reader = campus.newReader();
    await campus.subscribed(reader, courseId);
    for (const { token } of [reader, campus.newLecturer()])
      expectProblem(await roster(courseId, '', token), 403, 'FORBIDDEN');
    expectProblem(await roster(campus.target.newUserId()), 404, 'COURSE_NOT_FOUND');
    expectFaults(await roster(courseId, '?status=x'), { status: 'INVALID_VALUE' });
  });
});

describe('subscribing many', () => {
  it('is 200 with those subscribed, as many as there are seats, and the others with their codes', async () => {
    const lecturer = campus.newLecturer();
    const { courseId } = await campus.registered({ capacity: 3 }, lecturer);
    const [here, gone, fresh, late] = await Promise.all(
      Array.from({ length: 4 }, () => campus.knownReader()),
    );
    await campus.subscribed(here!, courseId);
    const { subscriptionId } = await campus.subscribed(gone!, courseId);
    await campus.cancelled(gone!, courseId);
    const nobody = campus.target.newUserId();
    const ids = [here!.userId, nobody, gone!.userId, fresh!.userId, late!.userId];
    const result = succeeded(await enrol(courseId, ids, lecturer.token), 200) as Bulk;
    expect(result.subscribed.map(({ userId }) => userId)).toEqual([gone!.userId, fresh!.userId]);
    expectKeys(result.subscribed[0]!, SUBSCRIPTION_KEYS);
    expect(result.subscribed[0]).toMatchObject({ subscriptionId, status: 'in_progress' });
    expect(result.refused).toEqual([
      { userId: here!.userId, code: 'ALREADY_SUBSCRIBED' },
      { userId: nobody, code: 'USER_NOT_FOUND' },
      { userId: late!.userId, code: 'COURSE_FULL' },
    ]);
    for (const { userId, token } of [gone!, fresh!])
      for (const { body } of await campus.readEverywhere(`/users/${userId}/courses`, token))
        expect(body.items).toMatchObject([{ courseId, status: 'in_progress' }]);
    expect(await campus.detail(courseId)).toMatchObject({ subscriberCount: 3 });
  });

  it('gives no seat to new users before the waitlist', async () => {
    const { courseId } = await campus.registered({ capacity: 1 });
    await campus.subscribed(campus.newReader(), courseId);
    const [waiting, other] = [await campus.knownReader(), await campus.knownReader()];
    await campus.joined(waiting, courseId);
    expect(succeeded(await enrol(courseId, [other.userId, waiting.userId]), 200)).toEqual({
      subscribed: [],
      refused: [other, waiting].map(({ userId }) => ({ userId, code: 'COURSE_FULL' })),
    });
  });

  it('is one command, whose events are told together', async () => {
    const { courseId } = await campus.registered({ capacity: 2 });
    const readers = await Promise.all(Array.from({ length: 3 }, () => campus.knownReader()));
    const accepted = await campus.call('post', `/courses/${courseId}/subscriptions/bulk`, {
      token: campus.target.admin,
      headers: { Prefer: 'respond-async' },
      body: { userIds: readers.map(({ userId }) => userId) },
    });
    const { commandId, statusUrl } = succeeded(accepted, 202) as Record<string, string>;
    const command = succeeded(await campus.manage('get', `${statusUrl}?wait=30`), 200) as {
      result: Bulk;
    };
    expect(command).toMatchObject({ status: 'succeeded', httpStatus: 200 });
    expect(command.result.refused).toEqual([{ userId: readers[2]?.userId, code: 'COURSE_FULL' }]);
    const told = () => keptEvents(campus, `course:${courseId}`);
    await waitUntil('the events', EVENTS_MS, async () => (await told()).length >= 3);
    expect(await told()).toMatchObject([
      { type: 'courses.course.created' },
      ...command.result.subscribed.map((data) => ({
        type: 'courses.subscription.created',
        commandId,
        data,
      })),
    ]);
  });

  it('takes 500 at a time', async () => {
    const { courseId } = await campus.registered();
    const ids = Array.from({ length: 500 }, () => campus.target.newUserId());
    const result = succeeded(await enrol(courseId, ids), 200) as Bulk;
    expect(result.refused).toHaveLength(500);
    expectFaults(await enrol(courseId, [...ids, campus.target.newUserId()]), {
      userIds: 'TOO_LONG',
    });
  });

  it('is for the lecturer of the course and administrators', async () => {
    const { courseId } = await campus.registered();
    const reader = await campus.knownReader();
    for (const { token } of [reader, campus.newLecturer()])
      expectProblem(await enrol(courseId, [reader.userId], token), 403, 'FORBIDDEN');
    expectProblem(await enrol(campus.target.newUserId(), [1]), 404, 'COURSE_NOT_FOUND');
  });

  it.each<[string, unknown, Record<string, string>]>([
    ['nobody', [], { userIds: 'TOO_SHORT' }],
    ['somebody twice', [1, 1], { 'userIds.1': 'DUPLICATE' }],
    ['no id', [0], { 'userIds.0': 'OUT_OF_RANGE' }],
    ['no list', 1, { userIds: 'INVALID_TYPE' }],
    ['nothing', undefined, { userIds: 'REQUIRED' }],
  ])('of %s is 400', async (_name, userIds, faults) => {
    const { courseId } = await campus.registered();
    expectFaults(await enrol(courseId, userIds), faults);
  });
});
