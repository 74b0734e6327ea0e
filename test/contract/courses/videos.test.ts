import { expectKeys, INSTANT, LIST_KEYS, succeeded } from '../../support/clients/books';
import { openCampus, VIDEO_KEYS, type Campus, type Video } from '../../support/clients/courses';
import { expectFaults, expectProblem } from '../../support/clients/problems';

/** POST and GET /courses/{courseId}/videos, and the same under /clips */

let campus: Campus;
beforeAll(async () => {
  campus = await openCampus();
});

const FORMS = ['videos', 'clips'];
const titles = async (courseId: number) =>
  (await campus.videos(courseId)).map(({ title }) => title);

/** The positions of a course are 1 to n. */
async function expectNoGap(courseId: number, count: number): Promise<void> {
  const videos = await campus.videos(courseId);
  expect(videos.map(({ position }) => position)).toEqual(
    Array.from({ length: count }, (_, index) => index + 1),
  );
  expect((await campus.detail(courseId)).videoCount).toBe(count);
}

describe.each(FORMS)('adding a video at /%s', (form) => {
  const url = 'https://video.example/1';

  it('is 201 with the whole Video, behind the last one', async () => {
    const { courseId } = await campus.registered();
    const body = { title: '  Intro ', url, durationSeconds: 90 };
    const video: Video = succeeded(
      await campus.manage('post', `/courses/${courseId}/${form}`, body),
      201,
    );
    expectKeys(video, VIDEO_KEYS);
    expect(video).toEqual({
      videoId: expect.any(Number),
      courseId,
      title: 'Intro',
      url,
      position: 1,
      durationSeconds: 90,
      createdAt: expect.stringMatching(INSTANT),
    });
    expect(
      succeeded(
        await campus.manage('post', `/courses/${courseId}/${form}`, { title: 'Two', url }),
        201,
      ),
    ).toMatchObject({ position: 2, durationSeconds: null });
    await expectNoGap(courseId, 2);
  });

  it('is for the lecturer of the course, and 403 for a user and for another lecturer', async () => {
    const lecturer = campus.newLecturer();
    const { courseId } = await campus.registered({}, lecturer);
    const add = (token: string) =>
      campus.call('post', `/courses/${courseId}/${form}`, { token, body: { title: 'x', url } });
    expect((await add(lecturer.token)).status).toBe(201);
    for (const other of [campus.newReader(), campus.newLecturer()])
      expectProblem(await add(other.token), 403, 'FORBIDDEN');
    await expectNoGap(courseId, 1);
  });

  it('is 404 COURSE_NOT_FOUND without the course', async () => {
    expectProblem(
      await campus.manage('post', `/courses/${campus.target.newUserId()}/${form}`, {
        title: 'x',
        url,
      }),
      404,
      'COURSE_NOT_FOUND',
    );
  });
});

describe('a position', () => {
  it('that is taken moves the video there and all behind it up by one', async () => {
    const { courseId } = await campus.registered();
    for (const title of ['a', 'b', 'c']) await campus.addedVideo(courseId, { title });
    expect(await campus.addedVideo(courseId, { title: 'x', position: 2 })).toMatchObject({
      position: 2,
    });
    expect(await titles(courseId)).toEqual(['a', 'x', 'b', 'c']);
    await campus.addedVideo(courseId, { title: 'first', position: 1 });
    await campus.addedVideo(courseId, { title: 'last', position: 6 });
    expect(await titles(courseId)).toEqual(['first', 'a', 'x', 'b', 'c', 'last']);
    await expectNoGap(courseId, 6);
  });

  it('beyond the one behind the last is 400, and leaves no gap', async () => {
    const { courseId } = await campus.registered();
    expectFaults(await campus.addVideo(courseId, { position: 2 }), { position: 'OUT_OF_RANGE' });
    await campus.addedVideo(courseId, { position: 1 });
    expectFaults(await campus.addVideo(courseId, { position: 3 }), { position: 'OUT_OF_RANGE' });
    await expectNoGap(courseId, 1);
  });

  it('given by 30 clients at the same time is 1 to n in the end, without gap or repeat', async () => {
    const { courseId } = await campus.registered();
    const added = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        campus.addVideo(courseId, index % 3 === 0 ? {} : { position: 1 }),
      ),
    );
    expect(added.map(({ status }) => status)).toEqual(added.map(() => 201));
    await expectNoGap(courseId, 30);
    expect(new Set((await campus.videos(courseId)).map(({ videoId }) => videoId))).toEqual(
      new Set(added.map(({ body }) => (body as Video).videoId)),
    );
  });
});

describe('400 VALIDATION_FAILED', () => {
  it.each<[string, Record<string, unknown>, Record<string, string>]>([
    ['nothing', { title: undefined, url: undefined }, { title: 'REQUIRED', url: 'REQUIRED' }],
    ['a title of 256 characters', { title: 'x'.repeat(256) }, { title: 'TOO_LONG' }],
    ['an address that is none', { url: 'video 1' }, { url: 'INVALID_FORMAT' }],
    ['an address that browsers run', { url: 'javascript:alert(1)' }, { url: 'INVALID_FORMAT' }],
    ['a position of 0', { position: 0 }, { position: 'OUT_OF_RANGE' }],
    ['a position as a text', { position: '1' }, { position: 'INVALID_TYPE' }],
    ['a duration below 0', { durationSeconds: -1 }, { durationSeconds: 'OUT_OF_RANGE' }],
    ['a field that does not exist', { length: 5 }, { length: 'UNKNOWN_FIELD' }],
  ])('for %s', async (_name, fields, faults) => {
    const { courseId } = await campus.registered();
    expectFaults(await campus.addVideo(courseId, fields), faults);
    await expectNoGap(courseId, 0);
  });
});

describe.each(FORMS)('the list at /%s', (form) => {
  it('has the videos in their order', async () => {
    const lecturer = campus.newLecturer();
    const { courseId } = await campus.registered({}, lecturer);
    const videos = [
      await campus.addedVideo(courseId),
      await campus.addedVideo(courseId),
      await campus.addedVideo(courseId),
    ];
    for (const token of [lecturer.token, campus.target.admin]) {
      const { status, body } = await campus.call('get', `/courses/${courseId}/${form}?size=2`, {
        token,
      });
      expect(status).toBe(200);
      expectKeys(body, LIST_KEYS);
      expect(body).toEqual({
        items: videos.slice(0, 2),
        page: 1,
        size: 2,
        totalItems: 3,
        totalPages: 2,
      });
    }
  });

  it('is 404 without the course', async () => {
    expectProblem(
      await campus.manage('get', `/courses/${campus.target.newUserId()}/${form}`),
      404,
      'COURSE_NOT_FOUND',
    );
  });
});
