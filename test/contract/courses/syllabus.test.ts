import { expectKeys, succeeded } from '../../support/clients/books';
import { openCampus, VIDEO_KEYS, type Campus, type Video } from '../../support/clients/courses';
import { expectFaults, expectProblem } from '../../support/clients/problems';

/**
 * GET /courses/{courseId}/videos and one video of it for everybody, and PATCH and DELETE of one
 * video
 */

let campus: Campus;
beforeAll(async () => {
  campus = await openCampus();
});

const titles = async (courseId: number) =>
  (await campus.videos(courseId)).map(({ title, position }) => `${position} ${title}`);

async function withVideos(...names: string[]): Promise<Video[]> {
  const { courseId } = await campus.registered();
  const videos: Video[] = [];
  for (const title of names) videos.push(await campus.addedVideo(courseId, { title }));
  return videos;
}

const change = ({ courseId, videoId }: Video, fields: object, token = campus.target.admin) =>
  campus.call('patch', `/courses/${courseId}/videos/${videoId}`, { token, body: fields });
const remove = ({ courseId, videoId }: Video, token = campus.target.admin) =>
  campus.call('delete', `/courses/${courseId}/videos/${videoId}`, { token });

describe.each(['videos', 'clips'])('the syllabus at /%s', (form) => {
  it('has no url for everybody', async () => {
    const lecturer = campus.newLecturer();
    const { courseId } = await campus.registered({}, lecturer);
    const video = await campus.addedVideo(courseId);
    const gone = campus.newReader();
    await campus.subscribed(gone, courseId);
    await campus.cancelled(gone, courseId);
    const [reader, other] = [campus.newReader(), campus.newLecturer()];
    for (const token of [undefined, reader.token, other.token, gone.token]) {
      for (const { status, body } of await campus.readEverywhere(
        `/courses/${courseId}/${form}`,
        token,
      )) {
        expect(status).toBe(200);
        expectKeys(body.items[0], VIDEO_KEYS);
        expect(body.items).toEqual([{ ...video, url: null }]);
      }
    }
  });

  it('has the url for administrators, the lecturer, and those who take it or have completed it', async () => {
    const lecturer = campus.newLecturer();
    const { courseId } = await campus.registered({}, lecturer);
    const video = await campus.addedVideo(courseId);
    const [taking, done] = [campus.newReader(), campus.newReader()];
    for (const reader of [taking, done]) await campus.subscribed(reader, courseId);
    await campus.completed(done, courseId);
    for (const token of [campus.target.admin, lecturer.token, taking.token, done.token])
      for (const { body } of await campus.readEverywhere(`/courses/${courseId}/${form}`, token))
        expect(body.items).toEqual([video]);
    await campus.cancelled(taking, courseId);
    for (const { body } of await campus.readEverywhere(
      `/courses/${courseId}/${form}`,
      taking.token,
    ))
      expect(body.items).toEqual([{ ...video, url: null }]);
  });

  it('is never kept by a shared cache with a url, nor without one for those who may see it', async () => {
    const { courseId } = await campus.registered();
    await campus.addedVideo(courseId);
    const path = `/courses/${courseId}/${form}`;
    const withUrl = await campus.manage('get', path);
    expect(withUrl.headers['cache-control']).toMatch(/^private\b/);
    const without = await campus.call('get', path);
    for (const { headers } of [withUrl, without]) expect(headers['vary']).toMatch(/authorization/i);
    const etag = without.headers['etag'] as string;
    const again = await campus.call('get', path, { headers: { 'If-None-Match': etag } });
    expect(again.status).toBe(304);
    const watching = { token: campus.target.admin, headers: { 'If-None-Match': etag } };
    expect((await campus.call('get', path, watching)).status).toBe(200);
  });
});

describe('one video', () => {
  it('is where the Location of a new one leads, with the url for those who have it in the list', async () => {
    const lecturer = campus.newLecturer();
    const { courseId } = await campus.registered({}, lecturer);
    const added = await campus.addVideo(courseId);
    const video: Video = succeeded(added, 201);
    const path = added.headers['location'] as string;
    expect(path).toBe(`/courses/${courseId}/videos/${video.videoId}`);
    const [taking, other] = [campus.newReader(), campus.newLecturer()];
    await campus.subscribed(taking, courseId);
    const seen = async (token?: string) => {
      const { status, body, headers } = await campus.call('get', path, { token });
      expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
      return body as Video;
    };
    for (const { token } of [lecturer, taking, { token: campus.target.admin }])
      expect(await seen(token)).toEqual(video);
    for (const token of [undefined, other.token])
      expect(await seen(token)).toEqual({ ...video, url: null });
  });

  it('is 404 in another course, and without the course', async () => {
    const [{ videoId }] = (await withVideos('a')) as [Video];
    const { courseId } = await campus.registered();
    const get = (course: number) => campus.call('get', `/courses/${course}/videos/${videoId}`);
    expectProblem(await get(courseId), 404, 'VIDEO_NOT_FOUND');
    expectProblem(await get(campus.target.newUserId()), 404, 'COURSE_NOT_FOUND');
  });
});

describe('changing a video', () => {
  it('is 200 with the whole Video, and leaves what it does not name', async () => {
    const [video] = (await withVideos('a')) as [Video];
    const fields = { title: 'b', url: 'https://video.example/b', durationSeconds: 5 };
    expect(succeeded(await change(video, fields), 200)).toEqual({ ...video, ...fields });
    expect(succeeded(await change(video, { durationSeconds: null }), 200)).toMatchObject({
      title: 'b',
      durationSeconds: null,
    });
    for (const { body } of await campus.readEverywhere(`/courses/${video.courseId}/videos`))
      expect(body.items).toMatchObject([{ title: 'b', url: null }]);
  });

  it('to another position moves those in between, and leaves positions 1 to n', async () => {
    const [a, b, c, d] = (await withVideos('a', 'b', 'c', 'd')) as [Video, Video, Video, Video];
    expect(succeeded(await change(a, { position: 3 }), 200)).toMatchObject({ position: 3 });
    expect(await titles(a.courseId)).toEqual(['1 b', '2 c', '3 a', '4 d']);
    succeeded(await change(d, { position: 1 }), 200);
    expect(await titles(a.courseId)).toEqual(['1 d', '2 b', '3 c', '4 a']);
    expectFaults(await change(b, { position: 5 }), { position: 'OUT_OF_RANGE' });
    succeeded(await change(c, { position: 3, title: 'x' }), 200);
    expect(await titles(a.courseId)).toEqual(['1 d', '2 b', '3 x', '4 a']);
  });

  it('and deleting it are for the lecturer of the course and administrators', async () => {
    const [video] = (await withVideos('a')) as [Video];
    for (const other of [campus.newReader(), campus.newLecturer()]) {
      expectProblem(await change(video, { title: 'x' }, other.token), 403, 'FORBIDDEN');
      expectProblem(await remove(video, other.token), 403, 'FORBIDDEN');
    }
  });

  it('of another course is 404 VIDEO_NOT_FOUND', async () => {
    const [video] = (await withVideos('a')) as [Video];
    const [{ courseId }] = (await withVideos('b')) as [Video];
    expectProblem(await change({ ...video, courseId }, { title: 'x' }), 404, 'VIDEO_NOT_FOUND');
    expectProblem(await remove({ ...video, courseId }), 404, 'VIDEO_NOT_FOUND');
  });

  it('with no field, or a wrong one, is 400', async () => {
    const [video] = (await withVideos('a')) as [Video];
    expectFaults(await change(video, {}), { body: 'REQUIRED' });
    expectFaults(await change(video, { url: 'x' }), { url: 'INVALID_FORMAT' });
  });
});

describe('deleting a video', () => {
  it('is 204, moves those behind it down, and is 404 VIDEO_NOT_FOUND again', async () => {
    const [a, b] = (await withVideos('a', 'b', 'c', 'd')) as [Video, Video];
    expect((await remove(b)).status).toBe(204);
    expect(await titles(a.courseId)).toEqual(['1 a', '2 c', '3 d']);
    expect((await campus.detail(a.courseId)).videoCount).toBe(3);
    expectProblem(await remove(b), 404, 'VIDEO_NOT_FOUND');
    expectProblem(await change(b, { title: 'x' }), 404, 'VIDEO_NOT_FOUND');
  });

  it('by 20 clients among moves and additions leaves positions 1 to n', async () => {
    const videos = await withVideos(...Array.from({ length: 20 }, (_, index) => `v${index}`));
    const { courseId } = videos[0] as Video;
    const answers = await Promise.all(
      videos.map((video, index) =>
        index % 3 === 0
          ? remove(video)
          : index % 3 === 1
            ? change(video, { position: (index % 5) + 1 })
            : campus.addVideo(courseId, { position: 1 }),
      ),
    );
    expect(answers.map(({ status }) => Math.floor(status / 100))).toEqual(answers.map(() => 2));
    const left = await campus.videos(courseId);
    expect(left.map(({ position }) => position)).toEqual(left.map((_, index) => index + 1));
    expect((await campus.detail(courseId)).videoCount).toBe(left.length);
  });
});
