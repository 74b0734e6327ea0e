import { expectKeys, INSTANT, succeeded, uniqueWord } from '../../support/clients/books';
import { COURSE_KEYS, openCampus, type Campus, type Course } from '../../support/clients/courses';
import { expectFaults, expectProblem } from '../../support/clients/problems';

/** POST /courses and GET /courses/{courseId} */

let campus: Campus;
beforeAll(async () => {
  campus = await openCampus();
});

const register = (token: string, body: unknown) => campus.call('post', '/courses', { token, body });

describe('registering a course', () => {
  it('by a lecturer is 201 with Location and the whole Course, of the lecturer', async () => {
    const { userId, username, token } = campus.newLecturer();
    const courseName = `Course ${uniqueWord()}`;
    const response = await register(token, { courseName, capacity: 3 });
    const course: Course = succeeded(response, 201);
    expectKeys(course, COURSE_KEYS);
    expect(course).toMatchObject({
      courseName,
      userId,
      lecturer: { userId, username },
      videoCount: 0,
      capacity: 3,
      subscriberCount: 0,
    });
    expect([course.createdAt, course.modifiedAt]).toEqual([
      expect.stringMatching(INSTANT),
      course.createdAt,
    ]);
    expect(response.headers.location).toBe(`/courses/${course.courseId}`);
    expect(await campus.detail(course.courseId)).toEqual(course);
  });

  it('by a lecturer who names themself is the same', async () => {
    const lecturer = campus.newLecturer();
    expect(await campus.registered({ userId: lecturer.userId }, lecturer)).toMatchObject({
      userId: lecturer.userId,
    });
  });

  it('by an administrator is for the lecturer that is named', async () => {
    const { userId, username } = await campus.knownReader('lecturer');
    expect(
      succeeded(await register(campus.target.admin, { courseName: 'Chess', userId }), 201),
    ).toMatchObject({ userId, lecturer: { userId, username } });
  });

  it('by an administrator for a lecturer whose account they made', async () => {
    const username = uniqueWord();
    const account = await campus.manage('post', '/api/users', {
      username,
      password: 'a good pass phrase',
      role: 'lecturer',
    });
    expect(account.headers.location).toBe(`/users/${account.body.userId}`);
    expect(
      succeeded(
        await register(campus.target.admin, { courseName: 'Go', userId: account.body.userId }),
        201,
      ).lecturer,
    ).toEqual({ userId: account.body.userId, username });
  });

  it('by an administrator who is a lecturer is for themself', async () => {
    const both = campus.newReader({ role: 'lecturer', isAdmin: true });
    expect(await campus.registered({}, both)).toMatchObject({ userId: both.userId });
  });

  it('has no limit of places without a capacity, or with null', async () => {
    for (const fields of [{}, { capacity: null }])
      expect((await campus.registered(fields)).capacity).toBeNull();
  });

  it('makes a course of its own each time, also under the same name', async () => {
    const lecturer = campus.newLecturer();
    const [one, other] = [
      await campus.registered({ courseName: 'Twice' }, lecturer),
      await campus.registered({ courseName: 'Twice' }, lecturer),
    ];
    expect(one.courseId).not.toBe(other.courseId);
  });

  it('with the same Idempotency-Key is one course', async () => {
    const { token } = campus.newLecturer();
    const headers = { 'Idempotency-Key': uniqueWord() };
    const send = () =>
      campus.call('post', '/courses', { token, body: { courseName: 'Once' }, headers });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.status, second.text]).toEqual([201, 201, first.text]);
  });

  it('answers 202 on demand, and the command tells the course', async () => {
    const { token } = campus.newLecturer();
    const accepted = await campus.call('post', '/courses', {
      token,
      body: { courseName: 'Later' },
      headers: { Prefer: 'respond-async' },
    });
    expect(accepted.status).toBe(202);
    const command = await campus.call('get', `${accepted.body.statusUrl}?wait=30`, { token });
    expect(command.body).toMatchObject({
      type: 'courses.register-course',
      status: 'succeeded',
      httpStatus: 201,
      result: { courseName: 'Later' },
    });
  });

  it('takes the name trimmed, in one Unicode form and up to 255 characters', async () => {
    expect((await campus.registered({ courseName: '  Zoe\u0308 데미안 📚 ' })).courseName).toBe(
      'Zo\u00eb 데미안 📚',
    );
    expect((await campus.registered({ courseName: 'x'.repeat(255) })).courseName).toHaveLength(255);
  });
});

describe('403 FORBIDDEN', () => {
  it('for a user who is not a lecturer, before the body is checked', async () => {
    const { token } = campus.newReader();
    for (const body of [{ courseName: 'Mine' }, {}, { nonsense: 1 }])
      expectProblem(await register(token, body), 403, 'FORBIDDEN');
  });

  it('for a lecturer who names another one', async () => {
    const { userId } = await campus.knownReader('lecturer');
    expectProblem(
      await register(campus.newLecturer().token, { courseName: 'Yours', userId }),
      403,
      'FORBIDDEN',
    );
  });
});

describe('400 LECTURER_REQUIRED', () => {
  const refused = (response: Parameters<typeof expectFaults>[0]) => {
    expectFaults(response, { userId: 'LECTURER_REQUIRED' }, 'LECTURER_REQUIRED');
  };

  it('for a user who is not a lecturer', async () => {
    const { userId } = await campus.knownReader();
    refused(await register(campus.target.admin, { courseName: 'x', userId }));
  });

  it('for a user who does not exist', async () => {
    refused(
      await register(campus.target.admin, { courseName: 'x', userId: campus.target.newUserId() }),
    );
  });

  it('for an administrator who is not a lecturer and names none', async () => {
    refused(await register(campus.target.admin, { courseName: 'x' }));
  });

  it('at once, also when the client does not want to wait', async () => {
    refused(
      await campus.manage(
        'post',
        '/courses',
        { courseName: 'x', userId: campus.target.newUserId() },
        { Prefer: 'respond-async' },
      ),
    );
  });
});

describe('400 VALIDATION_FAILED', () => {
  it.each<[string, object, Record<string, string>]>([
    ['no name', {}, { courseName: 'REQUIRED' }],
    ['a blank name', { courseName: '  ' }, { courseName: 'TOO_SHORT' }],
    ['a name of 256 characters', { courseName: 'x'.repeat(256) }, { courseName: 'TOO_LONG' }],
    ['a name that is no text', { courseName: 1 }, { courseName: 'INVALID_TYPE' }],
    ['a name of two lines', { courseName: 'a\nb' }, { courseName: 'INVALID_FORMAT' }],
    ['a capacity of 0', { courseName: 'x', capacity: 0 }, { capacity: 'OUT_OF_RANGE' }],
    [
      'a capacity with a fraction',
      { courseName: 'x', capacity: 1.5 },
      { capacity: 'INVALID_TYPE' },
    ],
    ['a capacity as a text', { courseName: 'x', capacity: '5' }, { capacity: 'INVALID_TYPE' }],
    ['a lecturer who is no id', { courseName: 'x', userId: 0 }, { userId: 'OUT_OF_RANGE' }],
    [
      'fields that are not given',
      { courseName: 'x', videoCount: 1, status: 'x' },
      { videoCount: 'UNKNOWN_FIELD', status: 'UNKNOWN_FIELD' },
    ],
    [
      'several faults at once',
      { capacity: -1 },
      { courseName: 'REQUIRED', capacity: 'OUT_OF_RANGE' },
    ],
  ])('for %s', async (_name, body, faults) => {
    expectFaults(await register(campus.newLecturer().token, body), faults);
  });
});

describe('reading a course', () => {
  it('is open to everybody, with an ETag that gets 304', async () => {
    const { courseId } = await campus.registered();
    const { status, headers } = await campus.call('get', `/courses/${courseId}`);
    expect([status, headers['cache-control'], headers.etag]).toEqual([
      200,
      'no-cache',
      expect.stringMatching(/^"[\w-]+"$/),
    ]);
    const again = await campus.call('get', `/courses/${courseId}`, {
      headers: { 'If-None-Match': headers.etag ?? '' },
    });
    expect([again.status, again.text]).toEqual([304, '']);
    await campus.subscribed(campus.newReader(), courseId);
    const changed = await campus.call('get', `/courses/${courseId}`, {
      headers: { 'If-None-Match': headers.etag ?? '' },
    });
    expect([changed.status, changed.body.subscriberCount]).toEqual([200, 1]);
  });

  it('answers 404 COURSE_NOT_FOUND for an unknown id, and 400 INVALID_ID for a malformed one', async () => {
    expectProblem(
      await campus.call('get', `/courses/${campus.target.newUserId()}`),
      404,
      'COURSE_NOT_FOUND',
    );
    for (const id of ['0', '01', 'x', '-1', '9007199254740992'])
      expectFaults(
        await campus.call('get', `/courses/${id}`),
        { courseId: 'INVALID_ID' },
        'INVALID_ID',
      );
  });
});
