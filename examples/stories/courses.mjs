import { admin, call, check, get, newLecturer, newPerson, notified, patch } from './calls.mjs';
import { post, put, refused, remove, run, tell } from './calls.mjs';

/** A course's term, from the first video to the archive. */

export async function coursesTerm() {
  const lecturer = await newLecturer('lecturer');
  const [dora, emil, fay, guy] = [
    await newPerson('dora'),
    await newPerson('emil'),
    await newPerson('fay'),
    await newPerson('guy'),
  ];
  const { courseId } = await post(
    '/courses',
    { courseName: `Compilers ${run}`, capacity: 1, completesAutomatically: true },
    lecturer,
  );
  const path = `/courses/${courseId}`;
  await syllabus(path, lecturer, emil);
  tell('Week 1  The course is open, with one seat.');

  await seats(path, lecturer, { dora, emil, fay });
  tell('Week 2  Two of three have a seat, in the order in which they came.');

  await many(path, lecturer, [dora, fay, guy]);
  tell('Week 3  A group is subscribed, as many as there are seats.');

  await progress(path, lecturer, emil);
  tell('Week 6  The lecturer drops a video, and Emil has watched the rest.');

  await remove(`${path}/subscriptions`, refused('SUBSCRIPTION_COMPLETED', emil));
  await patch(path, { status: 'closed' }, lecturer);
  await post(`${path}/subscriptions`, undefined, refused('COURSE_CLOSED', guy));
  await remove(path, refused('COURSE_HAS_SUBSCRIBERS', lecturer));
  await patch(path, { status: 'archived' }, lecturer);
  tell('Week 12  Emil has completed the course, and it is archived.');
}

const titlesOf = async (path, reader) =>
  (await get(`${path}/videos`, reader)).items.map(({ title }) => title).join(', ');
const videosOf = async (path, reader) => (await get(`${path}/videos`, reader)).items;

async function syllabus(path, lecturer, reader) {
  for (const title of ['Parsing', 'Lexing', 'Linking'])
    await post(`${path}/videos`, { title, url: `https://video.example/${title}` }, lecturer);
  const [, lexing] = await videosOf(path, lecturer);
  await patch(`${path}/videos/${lexing.videoId}`, { position: 1 }, lecturer);
  check((await titlesOf(path, reader)) === 'Lexing, Parsing, Linking', 'a video is moved');
  const [shown] = await videosOf(path, reader);
  check(shown.url === null, 'the address of a video is for subscribers');
}

async function seats(path, lecturer, { dora, emil, fay }) {
  await post(`${path}/waitlist`, undefined, refused('SEATS_AVAILABLE', emil));
  await post(`${path}/subscriptions`, undefined, dora);
  const [shown] = await videosOf(path, dora);
  check(shown.url !== null, 'a subscriber can see the videos');
  await post(`${path}/subscriptions`, undefined, refused('COURSE_FULL', emil));
  await post(`${path}/waitlist`, undefined, emil);
  const { position } = await post(`${path}/waitlist`, undefined, fay);
  check(position === 2, 'Fay is the second in line');
  await patch(path, { capacity: 2 }, lecturer);
  const mine = await get(`/users/${emil.userId}/courses`, emil);
  check(mine.items.length === 1, 'Emil is let in, who waited longest');
  await notified(emil, 'courses.waitlist.promoted');
  await remove(`${path}/subscriptions`, dora);
  const { items } = await get(`${path}/subscriptions?status=in_progress`, lecturer);
  check(items.length === 2, 'Fay gets the seat that came free');
  await patch(path, { capacity: 1 }, refused('CAPACITY_BELOW_SUBSCRIBERS', lecturer));
}

async function many(path, lecturer, people) {
  await patch(path, { capacity: 3 }, lecturer);
  const userIds = people.map(({ userId }) => userId);
  const bulk = await post(`${path}/subscriptions/bulk`, { userIds }, { ...lecturer, wants: 200 });
  check(bulk.subscribed.length === 1, 'Dora gets the last seat');
  const codes = bulk.refused.map(({ code }) => code).join();
  check(codes === 'ALREADY_SUBSCRIBED,COURSE_FULL', 'the others are refused');
  const csv = await get(`${path}/subscriptions`, {
    ...lecturer,
    accept: 'text/csv',
  });
  check(csv.trim().split('\n').length === 4, 'the roster has three people');
}

async function progress(path, lecturer, reader) {
  const completion = ({ videoId }) => `/users/${reader.userId}${path}/videos/${videoId}/completion`;
  const [lexing, parsing, linking] = await videosOf(path, reader);
  await put(completion(lexing), undefined, reader);
  const half = await put(completion(parsing), undefined, reader);
  check(half.progress.percent === 66, 'two of three videos are done');
  const { answer } = await call('DELETE', completion(parsing), reader);
  check(answer.progress.completedVideos === 1, 'a completion is taken back');
  await remove(`${path}/videos/${linking.videoId}`, lecturer);
  await put(completion(parsing), undefined, reader);
  const done = await get(`/users/${reader.userId}/courses?status=completed`, reader);
  check(done.items[0].progress.percent === 100, 'the last video completes the course');
  await notified(reader, 'courses.subscription.completed');
  const { items } = await get('/courses?q=compilers&status=open&size=100', admin);
  check(
    items.some((course) => path === `/courses/${course.courseId}`),
    'words find the course',
  );
}
