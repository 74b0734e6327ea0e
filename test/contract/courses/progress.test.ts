import { expectKeys, succeeded } from '../../support/clients/books';
import {
  openCampus,
  SUBSCRIPTION_KEYS,
  type Campus,
  type Video,
} from '../../support/clients/courses';
import { expectProblem } from '../../support/clients/problems';
import type { Reader } from '../../support/clients/requests';

/** PUT and DELETE /users/{userId}/courses/{courseId}/videos/{videoId}/completion */

let campus: Campus;
beforeAll(async () => {
  campus = await openCampus();
});

/** A course of three videos, and somebody who takes it. */
async function taken(fields: object = {}): Promise<[Reader, [Video, Video, Video]]> {
  const { courseId } = await campus.registered({ ...fields });
  const videos: Video[] = [];
  for (let count = 0; count < 3; count += 1) videos.push(await campus.addedVideo(courseId));
  const reader = campus.newReader();
  await campus.subscribed(reader, courseId);
  return [reader, videos as [Video, Video, Video]];
}

const progressOf = async (reader: Reader) =>
  (await campus.taken(reader, '?status=all')).body.items[0].progress as object;

it('completing a video is 200 with the Subscription and its progress, rounded down', async () => {
  const [reader, [first, second]] = await taken();
  const subscription = succeeded(await campus.completion('put', reader, first), 200) as object;
  expectKeys(subscription, SUBSCRIPTION_KEYS);
  expect(subscription).toMatchObject({
    status: 'in_progress',
    progress: { completedVideos: 1, totalVideos: 3, percent: 33 },
  });
  succeeded(await campus.completion('put', reader, second), 200);
  expect(await progressOf(reader)).toEqual({ completedVideos: 2, totalVideos: 3, percent: 66 });
});

it('completing it again is 200 and changes nothing, and so is taking it back again', async () => {
  const [reader, [video]] = await taken();
  const set = (method: 'put' | 'delete') => campus.completion(method, reader, video);
  const once = succeeded(await set('put'), 200) as object;
  expect(succeeded(await set('put'), 200)).toEqual(once);
  const back = succeeded(await set('delete'), 200) as object;
  expect(back).toMatchObject({ progress: { completedVideos: 0, totalVideos: 3, percent: 0 } });
  expect(succeeded(await set('delete'), 200)).toEqual(back);
});

it('the last video completes a course that completesAutomatically, and no other', async () => {
  for (const completesAutomatically of [true, false]) {
    const [reader, videos] = await taken({ completesAutomatically });
    const statuses: unknown[] = [];
    for (const video of videos)
      statuses.push(
        (succeeded(await campus.completion('put', reader, video), 200) as { status: string })
          .status,
      );
    const last = completesAutomatically ? 'completed' : 'in_progress';
    expect(statuses).toEqual(['in_progress', 'in_progress', last]);
    expect(await progressOf(reader)).toMatchObject({ percent: 100 });
  }
});

it('a course stays completed when a video is taken back or added', async () => {
  const [reader, videos] = await taken({ completesAutomatically: true });
  for (const video of videos) succeeded(await campus.completion('put', reader, video), 200);
  expect(succeeded(await campus.completion('delete', reader, videos[0]), 200)).toMatchObject({
    status: 'completed',
    completedAt: expect.any(String),
    progress: { completedVideos: 2 },
  });
  await campus.addedVideo(videos[0].courseId);
  expect(await progressOf(reader)).toEqual({ completedVideos: 2, totalVideos: 4, percent: 50 });
});

it('deleting the last video that a user has not completed completes nobody', async () => {
  const [reader, [first, second, last]] = await taken({ completesAutomatically: true });
  for (const video of [first, second])
    succeeded(await campus.completion('put', reader, video), 200);
  const { courseId, videoId } = last;
  succeeded(await campus.manage('delete', `/courses/${courseId}/videos/${videoId}`), 204);
  expect((await campus.taken(reader)).body.items).toMatchObject([
    { courseId, status: 'in_progress', progress: { completedVideos: 2, percent: 100 } },
  ]);
  const path = `/users/${reader.userId}/courses/${courseId}/status`;
  expect(succeeded(await campus.call('patch', path, { token: reader.token }), 200)).toMatchObject({
    status: 'completed',
  });
});

it('every API shows how progress changes with the videos of a course', async () => {
  const [reader, [first, second]] = await taken();
  for (const video of [first, second])
    succeeded(await campus.completion('put', reader, video), 200);
  const expectProgress = async (progress: object) => {
    const path = `/users/${reader.userId}/courses`;
    for (const { body } of await campus.readEverywhere(path, reader.token))
      expect(body.items[0].progress).toEqual(progress);
  };
  await expectProgress({ completedVideos: 2, totalVideos: 3, percent: 66 });
  const { courseId, videoId } = first;
  succeeded(await campus.manage('delete', `/courses/${courseId}/videos/${videoId}`), 204);
  await expectProgress({ completedVideos: 1, totalVideos: 2, percent: 50 });
  await campus.addedVideo(courseId);
  await expectProgress({ completedVideos: 1, totalVideos: 3, percent: 33 });
});

it('it is for the user and administrators, else 403', async () => {
  const [reader, [video]] = await taken();
  const other = { ...campus.newReader(), userId: reader.userId };
  expectProblem(await campus.completion('put', other, video), 403, 'FORBIDDEN');
  const admin = { ...reader, token: campus.target.admin };
  succeeded(await campus.completion('put', admin, video), 200);
});

it('it is 404 without the subscription, the video or the course', async () => {
  const [reader, [video]] = await taken();
  const stranger = campus.newReader();
  expectProblem(await campus.completion('put', stranger, video), 404, 'SUBSCRIPTION_NOT_FOUND');
  const [, [foreign]] = await taken();
  const { courseId } = video;
  expectProblem(
    await campus.completion('put', reader, { ...foreign, courseId }),
    404,
    'VIDEO_NOT_FOUND',
  );
  const nowhere = campus.target.newUserId();
  expectProblem(
    await campus.completion('put', reader, { ...video, courseId: nowhere }),
    404,
    'COURSE_NOT_FOUND',
  );
  await campus.cancelled(reader, courseId);
  expectProblem(await campus.completion('put', reader, video), 404, 'SUBSCRIPTION_NOT_FOUND');
});

it('progress is there again when a cancelled subscription comes back', async () => {
  const [reader, [video]] = await taken();
  succeeded(await campus.completion('put', reader, video), 200);
  await campus.cancelled(reader, video.courseId);
  expect(await campus.subscribed(reader, video.courseId)).toMatchObject({
    progress: { completedVideos: 1, totalVideos: 3, percent: 33 },
  });
});

describe('GET /users/{userId}/courses/{courseId}/progress', () => {
  const progress = ({ userId, token }: Reader, courseId: number) =>
    campus.call('get', `/users/${userId}/courses/${courseId}/progress`, { token });

  it('names the completed videos', async () => {
    const [reader, [first, second, third]] = await taken();
    const { courseId } = first;
    for (const video of [third, first, second])
      succeeded(await campus.completion('put', reader, video), 200);
    succeeded(await campus.completion('delete', reader, second), 200);
    expect(succeeded(await progress(reader, courseId), 200)).toEqual({
      courseId,
      completedVideoIds: [first.videoId, third.videoId],
      waitPosition: null,
    });
  });

  it('says which place in line somebody has, and that somebody else has none', async () => {
    const { courseId } = await campus.registered({ capacity: 1 });
    const [holder, first, second] = [campus.newReader(), campus.newReader(), campus.newReader()];
    await campus.subscribed(holder, courseId);
    for (const reader of [first, second]) await campus.joined(reader, courseId);
    const position = async (reader: Reader) =>
      succeeded(await progress(reader, courseId), 200).waitPosition as number | null;
    expect([await position(holder), await position(first), await position(second)]).toEqual([
      null,
      1,
      2,
    ]);
    expect((await campus.leaveWaitlist(first, courseId)).status).toBe(204);
    expect([await position(first), await position(second)]).toEqual([null, 1]);
  });

  it('is 404 without the course', async () => {
    const reader = campus.newReader();
    expectProblem(await progress(reader, campus.target.newUserId()), 404, 'COURSE_NOT_FOUND');
  });
});
