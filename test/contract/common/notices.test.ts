import { Library, succeeded } from '../../support/clients/books';
import { Campus } from '../../support/clients/courses';
import { NOTHING, noticesOf as noticesIn, type Notice } from '../../support/clients/notices';
import { expectProblem } from '../../support/clients/problems';
import type { Reader } from '../../support/clients/requests';
import { target, type Target } from '../../support/service/target';

let lendline: Target;
let library: Library;
let campus: Campus;
beforeAll(async () => {
  lendline = await target();
  library = new Library(lendline);
  campus = new Campus(lendline);
});

const noticesOf = (reader: Reader, query?: string): Promise<Notice[]> =>
  noticesIn(library, reader, query);
const read = ({ token }: Reader, path: string) =>
  library.call('post', `/api/notices/${path}`, { token });
const unreadOf = async ({ token }: Reader): Promise<unknown> =>
  (succeeded(await library.call('get', '/api/users/me', { token }), 200) as { counts: Notice })
    .counts.notices;

/** Somebody who has completed so many courses, one after the other. */
async function completer(courses: number): Promise<{ reader: Reader; names: string[] }> {
  const reader = campus.newReader();
  const names: string[] = [];
  for (let count = 0; count < courses; count += 1) {
    const { courseId, courseName } = await campus.registered();
    await campus.subscribed(reader, courseId);
    await campus.completed(reader, courseId);
    names.unshift(courseName);
  }
  return { reader, names };
}

it('a reader gets a notice that a copy is set aside, and that a borrow was declared lost', async () => {
  const { bookInfoId, bookId } = await library.single();
  const { title } = await library.detail(bookInfoId);
  const [borrower, waiting] = [library.newReader(), library.newReader()];
  await library.borrowed(borrower, { bookInfoId });
  const hold = succeeded(await library.placeHold(waiting, bookInfoId), 201);
  expect(await noticesOf(waiting)).toEqual([]);
  await library.returned(borrower, { bookInfoId });
  const { expiresAt } = succeeded(
    await library.call('get', `/api/holds/${hold.holdId}`, { token: waiting.token }),
    200,
  ) as { expiresAt: string };
  expect(await noticesOf(waiting)).toEqual([
    {
      ...NOTHING,
      ...{ type: 'lending.hold.ready', title, bookInfoId, holdId: hold.holdId },
      until: expiresAt,
      noticeId: expect.any(Number),
      createdAt: expect.any(String),
      readAt: null,
    },
  ]);
  const { borrowId } = await library.borrowed(waiting, { bookInfoId });
  succeeded(await library.setCopyStatus({ bookInfoId, bookId }, 'LOST'), 200);
  const [lost, ...before] = await noticesOf(waiting);
  expect(lost).toMatchObject({
    ...NOTHING,
    type: 'lending.borrow.lost',
    title,
    borrowId,
    bookInfoId,
  });
  expect(before).toHaveLength(1);
  expect(await noticesOf(borrower)).toEqual([]);
});

it('a reader gets one notice of a freed seat, and one of a completed course', async () => {
  const { courseId, courseName } = await campus.registered({ capacity: 1 });
  const [first, second] = [campus.newReader(), campus.newReader()];
  await campus.subscribed(first, courseId);
  await campus.joined(second, courseId);
  await campus.cancelled(first, courseId);
  await campus.completed(second, courseId);
  await campus.completed(second, courseId);
  expect(await noticesOf(second)).toEqual([
    expect.objectContaining({
      ...NOTHING,
      ...{ type: 'courses.subscription.completed', title: courseName, courseId },
    }),
    expect.objectContaining({ ...NOTHING, type: 'courses.waitlist.promoted', courseId }),
  ]);
  expect(await noticesOf(first)).toEqual([]);
});

it('notices are read one by one or all at once, and counted until then', async () => {
  const { reader, names } = await completer(3);
  expect(await unreadOf(reader)).toBe(3);
  const [latest] = await noticesOf(reader);
  for (let time = 0; time < 2; time += 1)
    succeeded(await read(reader, `${latest?.noticeId}/read`), 204);
  expect(await unreadOf(reader)).toBe(2);
  const titles = async (query: string) =>
    (await noticesOf(reader, query)).map(({ title }) => title);
  expect(await titles('?unread')).toEqual(names.slice(1));
  expect(await titles('?unread=false')).toEqual(names.slice(0, 1));
  expect(await titles('?page=2&size=2')).toEqual(names.slice(2));
  const [{ readAt } = { readAt: null }] = await noticesOf(reader, '?unread=false');
  expect(readAt).toEqual(expect.any(String));
  succeeded(await read(reader, 'read-all'), 204);
  expect(await unreadOf(reader)).toBe(0);
  expect(await noticesOf(reader, '?unread')).toEqual([]);
  // What was read before keeps its instant.
  expect((await noticesOf(reader))[0]).toMatchObject({ noticeId: latest?.noticeId, readAt });
});

it('a user can neither see nor mark the notices of another one', async () => {
  const { reader } = await completer(1);
  const [notice] = await noticesOf(reader);
  const other = library.newReader();
  expect(await noticesOf(other)).toEqual([]);
  expectProblem(await read(other, `${notice?.noticeId}/read`), 404, 'NOTICE_NOT_FOUND');
  succeeded(await read(other, 'read-all'), 204);
  expect(await unreadOf(reader)).toBe(1);
});

it('the notices of a person go with the person', async () => {
  const { reader } = await completer(1);
  const path = `/api/users/${reader.userId}`;
  expect((await library.manage('get', `${path}/export`)).body).toMatchObject({
    notices: [{ type: 'courses.subscription.completed' }],
  });
  succeeded(await library.manage('delete', path), 204);
  expect((await library.manage('get', `${path}/export`)).body).toMatchObject({ notices: [] });
});
