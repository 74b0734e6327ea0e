// A library's day, a course's term and a forum's week, through HTTP alone. TOKEN is an
// administrator's. It leaves behind what it made, under names of its own.
import { randomUUID } from 'node:crypto';

const { API_URL = 'http://127.0.0.1:3000', TOKEN = '' } = process.env;
/** What no other run has in its names. */
const run = randomUUID().slice(0, 8);

/** Calls the service. @throws when it answers otherwise than the story goes. */
async function call(method, path, { token, body, headers = {}, wants = 200, code } = {}) {
  const response = await fetch(new URL(path, API_URL), {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  const answer = isJson ? JSON.parse(text) : text;
  if (response.status !== wants || (code && answer.code !== code))
    throw new Error(`${method} ${path}: ${response.status} instead of ${wants} ${code}: ${text}`);
  return { answer, headers: response.headers };
}
const get = async (path, options) => (await call('GET', path, options)).answer;
const post = async (path, body, options) =>
  (await call('POST', path, { wants: 201, ...options, body })).answer;
const put = async (path, options) => (await call('PUT', path, options)).answer;
const patch = async (path, body, options) =>
  (await call('PATCH', path, { ...options, body })).answer;
const remove = (path, options) => call('DELETE', path, { wants: 204, ...options });

const admin = { token: TOKEN };
const refused = (code, token) => ({ wants: 409, code, token });
function check(isTrue, what) {
  if (!isTrue) throw new Error(`Not so: ${what}`);
}
const tell = (text) => console.log(text);

async function newPerson(name) {
  const password = randomUUID();
  const { userId, accessToken } = await post('/api/auth/signup', {
    username: `${name}-${run}`,
    password,
  });
  return { userId, token: accessToken };
}

async function librarysDay() {
  const [ada, ben, cleo] = [
    await newPerson('ada'),
    await newPerson('ben'),
    await newPerson('cleo'),
  ];
  const title = `Dune ${run}`;
  const { bookInfoId } = await post('/api/book-infos', { title, author: 'Frank Herbert' }, admin);
  const barcodes = [`${run}-1`, `${run}-2`];
  await post(`/api/book-infos/${bookInfoId}/books`, { barcodes }, admin);
  await post('/api/book-infos', { title: `Companion to ${title}`, author: 'Ann' }, admin);
  const { items } = await get(`/api/book-infos?title=${encodeURIComponent(title)}`);
  check(items[0].bookInfoId === bookInfoId, 'the title itself is found before its companion');
  tell('09:00  A novel is shelved with two copies.');

  const lent = await post('/api/borrows', { barcode: barcodes[0], userId: ada.userId }, admin);
  check(lent.userId === ada.userId, 'the desk lends to Ada');
  const { allowed } = await post(
    '/api/borrows?dryRun=true',
    { bookInfoId },
    { ...ben, wants: 200 },
  );
  check(allowed, 'Ben may borrow');
  await post('/api/borrows', { bookInfoId }, ben);
  await post('/api/borrows', { bookInfoId }, refused('ALREADY_BORROWED', ben.token));
  await post('/api/borrows', { bookInfoId }, refused('OUT_OF_STOCK', cleo.token));
  const { holdId, position } = await post(`/api/book-infos/${bookInfoId}/holds`, {}, cleo);
  check(position === 1, 'Cleo is the first in line');
  await post(`/api/borrows/${lent.borrowId}/renewals`, {}, refused('HELD_BY_OTHERS', ada.token));
  tell('11:00  Ada and Ben have borrowed it, and Cleo waits.');

  await post('/api/returns', { barcode: barcodes[0] }, { ...admin, wants: 200 });
  const ready = await get(`/api/holds/${holdId}`, cleo);
  check(ready.status === 'READY', 'the copy is set aside for Cleo');
  await post('/api/borrows', { bookInfoId }, refused('OUT_OF_STOCK', ada.token));
  const borrow = await post('/api/borrows', { bookInfoId }, cleo);
  const renewed = await post(
    `/api/borrows/${borrow.borrowId}/renewals`,
    {},
    { ...cleo, wants: 200 },
  );
  check(renewed.dueAt > borrow.dueAt, 'a renewed borrow is due later');
  tell('15:00  Cleo has fetched it and renewed it.');

  const given = { items: barcodes.map((barcode) => ({ barcode })) };
  const back = await post('/api/returns/bulk', given, { ...admin, wants: 200 });
  check(
    back.items.every(({ httpStatus }) => httpStatus === 200),
    'all came back',
  );
  await patch(`/api/book-infos/${bookInfoId}/books/${lent.bookId}`, { status: 'DAMAGED' }, admin);
  const evening = await get(`/api/book-infos/${bookInfoId}`);
  check(evening.totalStock === 2 && evening.availableStock === 1, 'one of two can be lent');
  const csv = await get(`/api/borrow-histories?bookInfoId=${bookInfoId}`, {
    ...admin,
    headers: { accept: 'text/csv' },
  });
  check(csv.trim().split('\n').length === 4, 'the list of the day has three borrows');
  tell('19:00  Everything is back, and one copy goes to be mended.');
}

async function newLecturer() {
  const account = { username: `lecturer-${run}`, password: randomUUID() };
  await post('/api/users', { ...account, role: 'lecturer' }, admin);
  const { accessToken } = await post('/api/auth/login', account, { wants: 200 });
  return { token: accessToken };
}

async function coursesTerm() {
  const lecturer = await newLecturer();
  const [ada, ben, cleo] = [
    await newPerson('dora'),
    await newPerson('emil'),
    await newPerson('fay'),
  ];
  const { courseId } = await post(
    '/courses',
    { courseName: `Compilers ${run}`, capacity: 1, completesAutomatically: true },
    lecturer,
  );
  const path = `/courses/${courseId}`;
  const videos = [];
  for (const name of ['Lexing', 'Parsing'])
    videos.push(
      await post(`${path}/videos`, { title: name, url: `https://video.example/${name}` }, lecturer),
    );
  const [shown] = (await get(`${path}/videos`, ben)).items;
  check(shown.url === null, 'the address of a video is for subscribers');
  tell('Week 1  The course is open, with one seat.');

  await post(`${path}/waitlist`, {}, refused('SEATS_AVAILABLE', ben.token));
  await post(`${path}/subscriptions`, {}, ada);
  await post(`${path}/subscriptions`, {}, refused('COURSE_FULL', ben.token));
  await post(`${path}/waitlist`, {}, ben);
  await post(`${path}/waitlist`, {}, cleo);
  await patch(path, { capacity: 2 }, lecturer);
  const mine = await get(`/users/${ben.userId}/courses`, ben);
  check(mine.items[0].courseId === courseId, 'Emil is let in, who waited longest');
  await remove(`${path}/subscriptions`, ada);
  const { items } = await get(`${path}/subscriptions?status=in_progress`, lecturer);
  check(items.length === 2, 'Fay gets the seat that came free');
  await patch(
    path,
    { capacity: 1 },
    { ...lecturer, ...refused('CAPACITY_BELOW_SUBSCRIBERS', lecturer.token) },
  );
  tell('Week 2  Two of three have a seat, in the order in which they came.');

  for (const { videoId } of videos)
    await put(`/users/${ben.userId}${path}/videos/${videoId}/completion`, ben);
  const done = await get(`/users/${ben.userId}/courses?status=completed`, ben);
  check(done.items[0].progress.percent === 100, 'the last video completes the course');
  await remove(`${path}/subscriptions`, refused('SUBSCRIPTION_COMPLETED', ben.token));
  await patch(path, { status: 'closed' }, lecturer);
  await post(`${path}/subscriptions`, {}, refused('COURSE_CLOSED', ada.token));
  await remove(path, refused('COURSE_HAS_SUBSCRIBERS', lecturer.token));
  await patch(path, { status: 'archived' }, lecturer);
  tell('Week 12  Emil has completed the course, and it is archived.');
}

async function forumsWeek() {
  const [ada, ben] = [await newPerson('gil'), await newPerson('hana')];
  const [sql, orm] = [`sql-${run}`, `orm-${run}`];
  const write = (author, title, tags) =>
    post('/posts', { title, content: `About ${title}.`, tags, userId: author.userId }, author);
  const joins = await write(ada, `Joins ${run}`, [sql]);
  const mapping = await write(ben, `Mapping ${run}`, [sql, orm]);
  check((await get(`/posts/tags?${sql},${orm}`)).length === 1, 'one post has both tags');
  check((await get(`/posts/tags?${sql}`)).length === 2, 'two posts have the first');
  check((await get(`/posts?q=joins%20${run}`)).items[0].postId === joins.postId, 'words find it');
  tell('Monday  Two posts, found by tags and by words.');

  const feed = await get(`/posts/tags.atom?${sql}`);
  check(feed.split('<entry>').length === 3, 'the feed has both');
  const { headers } = await call('GET', `/posts/${joins.postId}`);
  const ifMatch = { 'if-match': headers.get('etag') };
  await patch(`/posts/${joins.postId}`, { tags: [sql, orm] }, { ...ada, headers: ifMatch });
  await patch(
    `/posts/${joins.postId}`,
    { title: 'Late' },
    { ...ada, headers: ifMatch, wants: 412, code: 'VERSION_MISMATCH' },
  );
  await patch(`/posts/${joins.postId}`, { title: 'Not mine' }, { ...ben, wants: 403 });
  tell('Wednesday  A post is changed once, and the feed is read.');

  const name = `database-${run}`;
  await patch(`/tags/${sql}`, { name }, admin);
  await patch(`/tags/${name}`, { name: orm }, { ...admin, ...refused('TAG_TAKEN', TOKEN) });
  const renamed = await get(`/posts/${mapping.postId}`);
  check(renamed.tags[0] === name, 'posts show the new name');
  await post(`/tags/${orm}/merge`, { into: name }, { ...admin, wants: 200 });
  check((await get(`/posts/tags?${orm}`)).length === 2, 'a merged tag leads to the other');
  await remove(`/posts/${mapping.postId}`, ben);
  check((await get(`/posts/tags?${name}`)).length === 1, 'one post is left');
  tell('Sunday  The tags are in order.');
}

await librarysDay();
await coursesTerm();
await forumsWeek();
