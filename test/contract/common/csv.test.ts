import { parse } from 'csv-parse/sync';
import type { Response } from 'supertest';
import { openLibrary, succeeded, uniqueWord, type Library } from '../../support/clients/books';
import { Campus } from '../../support/clients/courses';
import { documentOf } from '../../support/check/document/served';
import { Board } from '../../support/clients/posts';
import { Scene } from '../../support/clients/scene';

/** Lists with `Accept: text/csv` */

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});

const csv = (path: string, token?: string): Promise<Response> =>
  library.call('get', path, { token, headers: { Accept: 'text/csv' } });
const rowsOf = ({ text }: Response): Record<string, string>[] => parse(text, { columns: true });

describe('a list as CSV', () => {
  it('has the rows of all pages, in the order of the list, under the names of the members', async () => {
    const author = uniqueWord();
    const made: number[] = [];
    for (let count = 0; count < 105; count += 1)
      made.push((await library.registered({ author, isbn: null })).bookInfoId);
    const answer = await csv(`/api/book-infos?author=${author}&sort=createdAt&page=2&size=3`);
    expect([
      answer.status,
      answer.headers['content-type'],
      answer.headers['x-total-count'],
    ]).toEqual([200, 'text/csv; charset=utf-8; header=present', '105']);
    const rows = rowsOf(answer);
    expect(rows.map(({ bookInfoId }) => Number(bookInfoId))).toEqual(made);
    const list = await library.call('get', `/api/book-infos?author=${author}&sort=createdAt`);
    const [first] = succeeded(list, 200).items as Record<string, string | number | null>[];
    expect(rows[0]).toEqual(
      Object.fromEntries(
        Object.entries(first!).map(([name, value]) => [name, value === null ? '' : String(value)]),
      ),
    );
  });

  it('exists for every list of the document, with the same rows', async () => {
    const desk = library.newReader({ isAdmin: true, role: 'lecturer' });
    const { userId, username, token } = desk;
    const [tag, courses] = [uniqueWord(), new Campus(library.target)];
    await new Board(library.target).posted({ tags: [tag], userId });
    const { bookInfoId, author } = await library.registered({ copies: 1 });
    await library.borrowed(desk, { bookInfoId });
    succeeded(await library.placeHold(library.newReader(), bookInfoId), 201);
    const { courseId } = await courses.registered({ capacity: 1 }, desk);
    await courses.addedVideo(courseId);
    await courses.subscribed(desk, courseId);
    await courses.joined(library.newReader(), courseId);
    await courses.completed(desk, courseId);
    const { webhookId } = await new Scene(library.target).webhook();
    const ids: Record<string, number> = { bookInfoId, courseId, userId, webhookId };
    // Other tests make rows as well.
    const narrowed: Record<string, string> = {
      '/api/users': `q=${username}`,
      '/api/book-infos': `author=${author}`,
      '/api/borrow-histories': `userId=${userId}`,
      '/api/holds': `bookInfoId=${bookInfoId}`,
      '/api/book-infos/popular': 'days=29&size=1',
      '/posts': `userId=${userId}`,
      '/posts/tags': tag,
      '/tags': `q=${tag}`,
      '/courses': `userId=${userId}`,
      '/users/{userId}/courses': 'status=completed',
      '/users/{userId}courses': 'status=completed',
      '/user/{userId}courses': 'status=completed',
      '/api/audit': `actor=${userId}`,
    };
    const { paths } = (await documentOf(library.target.url)).json;
    const lists = Object.entries(paths).flatMap(([path, { get }]) =>
      get?.responses['200']?.headers?.['X-Total-Count'] ? [path] : [],
    );
    expect(lists).toEqual(expect.arrayContaining(Object.keys(narrowed)));
    for (const path of lists) {
      const filled = path.replace(/{(\w+)}/g, (_, name: string) => `${ids[name]}`);
      const asked = `${filled}?${narrowed[path] ?? ''}`;
      const { headers } = await library.call('get', asked, { token });
      const total = Number(headers['x-total-count']);
      // No event fits the webhook.
      expect([path, total > 0]).toEqual([path, !path.endsWith('/deliveries')]);
      const answer = await csv(asked, token);
      expect([path, answer.status, answer.type]).toEqual([path, 200, 'text/csv']);
      // Other tests add and delete webhooks between two reads, and no filter leaves theirs out.
      const rows = path === '/api/webhooks' ? Number(answer.headers['x-total-count']) : total;
      expect([path, rowsOf(answer).length]).toEqual([path, rows]);
    }
  });

  it('needs no query', async () => {
    const answer = await csv('/api/book-infos/popular');
    expect([answer.status, answer.type]).toEqual([200, 'text/csv']);
    expect(rowsOf(answer)).toHaveLength(Number(answer.headers['x-total-count']));
  });

  it('guards texts that a spreadsheet would take for a formula', async () => {
    const author = uniqueWord();
    for (const sign of ['=', '+', '-', '@'])
      await library.registered({ author, title: `${sign}1+1`, isbn: null });
    const rows = rowsOf(await csv(`/api/book-infos?author=${author}&sort=createdAt`));
    expect(rows.map(({ title }) => title)).toEqual(["'=1+1", "'+1+1", "'-1+1", "'@1+1"]);
  });

  it('quotes what has commas, quotes and line ends, and ends lines as RFC 4180 says', async () => {
    const board = new Board(library.target);
    const userId = board.target.newUserId();
    const text = { title: 'a, "b"', content: 'one\ntwo', tags: ['c++', 'x y'], userId };
    await board.posted(text);
    const answer = await csv(`/posts?userId=${userId}`);
    expect(answer.text.split('\r\n')).toHaveLength(3);
    expect(rowsOf(answer)).toMatchObject([
      { title: 'a, "b"', content: 'one\ntwo', tags: 'c++, x y' },
    ]);
  });

  it('has its columns even when it is empty, with nested members behind a dot', async () => {
    const empty = await csv(`/courses?q=${uniqueWord()}`);
    expect(empty.text).toMatch(/^courseId,courseName,userId,lecturer\.userId,lecturer\.username,/);
    expect(rowsOf(empty)).toEqual([]);
    const campus = new Campus(library.target);
    const courseName = uniqueWord();
    const course = await campus.registered({ courseName });
    expect(rowsOf(await csv(`/courses?q=${courseName}`))).toMatchObject([
      { courseName, 'lecturer.userId': String(course.userId) },
    ]);
  });

  it('exists for posts by tags without a parameter name', async () => {
    const board = new Board(library.target);
    const tag = uniqueWord();
    const ids = await board.postedWith([tag], [tag]);
    const rows = rowsOf(await csv(`/posts/tags?${tag}&size=1`));
    expect(rows.map(({ postId }) => Number(postId))).toEqual([...ids].reverse());
  });

  it('shows callers the rows that they may see, and answers 400 or 401 as JSON', async () => {
    const reader = library.newReader();
    const { bookInfoId } = await library.registered({ copies: 1 });
    await library.borrowed(reader, { bookInfoId });
    const own = rowsOf(await csv('/api/borrow-histories', reader.token));
    expect(own).toMatchObject([{ bookInfoId: String(bookInfoId), overdue: 'false' }]);
    for (const [path, status] of [
      ['/api/borrow-histories', 401],
      ['/api/book-infos?sort=nope', 400],
    ] as const) {
      const { status: got, type } = await csv(path);
      expect([got, type]).toEqual([status, 'application/problem+json']);
    }
  });

  it.each(['application/json', '*/*', 'text/html', 'text/csv;q=0.1, application/json'])(
    'is not sent to clients that accept %s',
    async (accept) => {
      const answer = await library.call('get', '/api/book-infos', { headers: { Accept: accept } });
      expect(answer.type).toBe('application/json');
      expect(answer.headers['vary']).toContain('Accept,');
    },
  );
});
