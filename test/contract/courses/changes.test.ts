import { expectKeys, succeeded, uniqueWord } from '../../support/clients/books';
import { COURSE_KEYS, openCampus, type Campus } from '../../support/clients/courses';
import { expectFaults, expectProblem } from '../../support/clients/problems';

/** PATCH and DELETE /courses/{courseId} */

let campus: Campus;
beforeAll(async () => {
  campus = await openCampus();
});

const remove = (courseId: number, token = campus.target.admin, headers = {}) =>
  campus.call('delete', `/courses/${courseId}`, { token, headers });

describe('changing a course', () => {
  it('is 200 with the whole Course, and every later read shows it', async () => {
    const { courseId } = await campus.registered({ capacity: 3 });
    const courseName = `Course ${uniqueWord()}`;
    const reader = campus.newReader();
    await campus.subscribed(reader, courseId);
    succeeded(await campus.taken(reader), 200);
    const changes = { courseName, capacity: null, status: 'closed', completesAutomatically: true };
    const course = await campus.changedCourse(courseId, changes);
    expectKeys(course, COURSE_KEYS);
    expect(course).toMatchObject(changes);
    for (const { body } of await campus.readEverywhere(`/courses/${courseId}`))
      expect(body).toEqual(course);
    for (const { body } of await campus.readEverywhere(`/courses?q=${courseName}`))
      expect(body.items).toEqual([course]);
    const list = `/users/${reader.userId}/courses`;
    for (const { body } of await campus.readEverywhere(list, reader.token))
      expect(body.items).toMatchObject([{ courseId, courseName }]);
  });

  it('is for the lecturer of the course and administrators, else 403', async () => {
    const lecturer = campus.newLecturer();
    const { courseId } = await campus.registered({}, lecturer);
    const change = (token: string) => campus.changeCourse(courseId, { capacity: 5 }, { token });
    expect((await change(lecturer.token)).status).toBe(200);
    for (const other of [campus.newReader(), campus.newLecturer()]) {
      expectProblem(await change(other.token), 403, 'FORBIDDEN');
      expectProblem(await remove(courseId, other.token), 403, 'FORBIDDEN');
    }
  });

  it('to what it is already changes nothing', async () => {
    const course = await campus.registered({ capacity: 3 });
    expect(await campus.changedCourse(course.courseId, { capacity: 3, status: 'open' })).toEqual(
      course,
    );
  });

  it('is 404 COURSE_NOT_FOUND without the course', async () => {
    const courseId = campus.target.newUserId();
    expectProblem(await campus.changeCourse(courseId, { capacity: 1 }), 404, 'COURSE_NOT_FOUND');
    expectProblem(await remove(courseId), 404, 'COURSE_NOT_FOUND');
  });

  it('of two fields at the same time keeps both', async () => {
    const { courseId } = await campus.registered();
    const courseName = `Course ${uniqueWord()}`;
    const changes = [{ courseName }, { capacity: 7 }].map((one) =>
      campus.changedCourse(courseId, one),
    );
    await Promise.all(changes);
    expect(await campus.detail(courseId)).toMatchObject({ courseName, capacity: 7 });
  });

  it.each<[string, object, Record<string, string>]>([
    ['no field', {}, { body: 'REQUIRED' }],
    ['an unknown status', { status: 'over' }, { status: 'INVALID_VALUE' }],
    ['a capacity of 0', { capacity: 0 }, { capacity: 'OUT_OF_RANGE' }],
    [
      'a flag as a text',
      { completesAutomatically: 'x' },
      { completesAutomatically: 'INVALID_TYPE' },
    ],
    ['an unknown field', { seats: 3 }, { seats: 'UNKNOWN_FIELD' }],
  ])('with %s is 400', async (_name, fields, faults) => {
    const { courseId } = await campus.registered();
    expectFaults(await campus.changeCourse(courseId, fields), faults);
  });

  it('with a field that follows from others is 400 READ_ONLY_FIELD', async () => {
    const { courseId } = await campus.registered();
    expectFaults(
      await campus.changeCourse(courseId, { waitingCount: 0 }),
      { waitingCount: 'READ_ONLY_FIELD' },
      'READ_ONLY_FIELD',
    );
  });
});

describe('a capacity', () => {
  it('below the number of subscribers is 409 CAPACITY_BELOW_SUBSCRIBERS', async () => {
    const { courseId } = await campus.registered({ capacity: 3 });
    const [first, second] = [campus.newReader(), campus.newReader()];
    await campus.subscribed(first, courseId);
    await campus.subscribed(second, courseId);
    expectProblem(
      await campus.changeCourse(courseId, { capacity: 1 }),
      409,
      'CAPACITY_BELOW_SUBSCRIBERS',
      { courseId },
    );
    expect(await campus.changedCourse(courseId, { capacity: 2 })).toMatchObject({ capacity: 2 });
    expectProblem(await campus.subscribe(campus.newReader(), courseId), 409, 'COURSE_FULL', {
      courseId,
    });
  });
});

describe('If-Match', () => {
  const etagOf = async (courseId: number) =>
    (await campus.call('get', `/courses/${courseId}`)).headers['etag'] as string;

  it('lets one of two changes through that were made against the same course', async () => {
    const { courseId } = await campus.registered();
    const headers = { 'If-Match': await etagOf(courseId) };
    const change = (capacity: number) => campus.changeCourse(courseId, { capacity }, { headers });
    const first = await change(5);
    expect(first.status).toBe(200);
    expectProblem(await change(6), 412, 'VERSION_MISMATCH');
    expectProblem(await remove(courseId, undefined, headers), 412, 'VERSION_MISMATCH');
    expect(first.headers['etag']).toBe(await etagOf(courseId));
    const next = { 'If-Match': first.headers['etag'] as string };
    expect((await campus.changeCourse(courseId, { capacity: 7 }, { headers: next })).status).toBe(
      200,
    );
  });

  it('lets a change through after others subscribed or videos were added', async () => {
    const { courseId } = await campus.registered();
    const headers = { 'If-Match': await etagOf(courseId) };
    await campus.subscribed(campus.newReader(), courseId);
    await campus.addedVideo(courseId);
    expect(await etagOf(courseId)).not.toBe(headers['If-Match']);
    succeeded(await campus.changeCourse(courseId, { capacity: 5 }, { headers }), 200);
  });

  it('of another thing is 412, and * fits any course', async () => {
    const { courseId } = await campus.registered();
    const change = (tag: string) =>
      campus.changeCourse(courseId, { capacity: 9 }, { headers: { 'If-Match': tag } });
    expectProblem(await change('"1.0-0"'), 412, 'VERSION_MISMATCH');
    succeeded(await change('*'), 200);
  });
});

describe('the status', () => {
  it.each(['closed', 'archived'])(
    '%s takes no subscriptions: 409 COURSE_CLOSED, until the course is open again',
    async (status) => {
      const { courseId } = await campus.registered({ capacity: 2 });
      const [reader, other] = [await campus.knownReader(), await campus.knownReader()];
      await campus.subscribed(reader, courseId);
      await campus.changedCourse(courseId, { status });
      expectProblem(await campus.subscribe(other, courseId), 409, 'COURSE_CLOSED', { courseId });
      expectProblem(await campus.join(other, courseId), 409, 'COURSE_CLOSED', { courseId });
      expectProblem(
        await campus.manage('post', `/courses/${courseId}/subscriptions/bulk`, {
          userIds: [other.userId],
        }),
        409,
        'COURSE_CLOSED',
        { courseId },
      );
      // Whoever takes it already goes on.
      await campus.completed(reader, courseId);
      await campus.changedCourse(courseId, { status: 'open' });
      await campus.subscribed(other, courseId);
    },
  );

  it('is what a search filters by', async () => {
    const lecturer = campus.newLecturer();
    const open = await campus.registered({}, lecturer);
    const { courseId } = await campus.registered({}, lecturer);
    const archived = await campus.changedCourse(courseId, { status: 'archived' });
    const found = async (query: string) =>
      (await campus.call('get', `/courses?userId=${lecturer.userId}${query}`)).body.items;
    expect(await found('&status=open')).toEqual([open]);
    expect(await found('&status=archived')).toEqual([archived]);
    expect(await found('')).toHaveLength(2);
  });
});

describe('deleting a course', () => {
  it('answers 204, and later requests for it get 404', async () => {
    const { courseId, courseName } = await campus.registered();
    const reader = campus.newReader();
    expect((await remove(courseId)).status).toBe(204);
    for (const { status } of await campus.readEverywhere(`/courses/${courseId}`))
      expect(status).toBe(404);
    const answers = [
      await campus.call('get', `/courses/${courseId}/videos`),
      await campus.subscribe(reader, courseId),
      await campus.join(reader, courseId),
      await campus.addVideo(courseId),
      await campus.changeCourse(courseId, { capacity: 1 }),
      await remove(courseId),
    ];
    for (const answer of answers) expectProblem(answer, 404, 'COURSE_NOT_FOUND');
    const { body } = await campus.call('get', `/courses?q=${encodeURIComponent(courseName)}`);
    expect(body).toMatchObject({ totalItems: 0 });
  });

  it('with subscriptions in progress is 409 COURSE_HAS_SUBSCRIBERS, and it stays', async () => {
    const { courseId } = await campus.registered();
    const reader = campus.newReader();
    await campus.subscribed(reader, courseId);
    expectProblem(await remove(courseId), 409, 'COURSE_HAS_SUBSCRIBERS', { courseId });
    await campus.completed(reader, courseId);
    expect((await remove(courseId)).status).toBe(204);
    const { body } = await campus.taken(reader, '?status=completed');
    expect(body.items).toMatchObject([{ courseId, status: 'completed' }]);
  });
});
