import { randomInt } from 'node:crypto';
import type { Response } from 'supertest';
import { openLibrary, succeeded, uniqueWord, type Library } from '../../support/clients/books';
import { openCampus, type Campus } from '../../support/clients/courses';
import type { Reader } from '../../support/clients/requests';

/** What clients and the caches between may keep. */

let library: Library;
let campus: Campus;
let user: Reader;
let titles: string;
let courses: string;
const days = randomInt(40, 365);

beforeAll(async () => {
  library = await openLibrary();
  campus = await openCampus();
  user = library.newReader();
  const word = uniqueWord();
  // Long enough to be compressed, all together.
  await Promise.all([1, 2, 3, 4].map((n) => library.registered({ title: `${word} ${n}` })));
  titles = `/api/book-infos?q=${word}`;
  const lecturer = campus.newLecturer();
  for (let n = 0; n < 6; n += 1)
    await campus.subscribed(
      user,
      (await campus.registered({ courseName: `${word} ${n}` }, lecturer)).courseId,
    );
  courses = `/courses?q=${word}`;
});

const LISTS: Record<string, () => { path: string; token?: string }> = {
  titles: () => ({ path: titles }),
  // Of so many days nobody else asks, so what is shown stays for as long as it is cached.
  'popular titles': () => ({ path: `/api/book-infos/popular?days=${days}` }),
  courses: () => ({ path: courses }),
  "a user's courses": () => ({ path: `/users/${user.userId}/courses`, token: user.token }),
};

const get = (name: string, headers: Record<string, string> = {}) => {
  const { path, token } = (LISTS[name] as () => { path: string; token?: string })();
  return library.call('get', path, { token, headers });
};
const vary = ({ headers }: Response) => (headers['vary'] ?? '').split(/, */);

describe.each(Object.keys(LISTS))('the list of %s', (name) => {
  it('has a weak ETag, the same however it is compressed, and is 304 as long as nothing has changed', async () => {
    const [plain, gzip, br] = [
      await get(name, { 'Accept-Encoding': 'identity' }),
      await get(name, { 'Accept-Encoding': 'gzip' }),
      await get(name, { 'Accept-Encoding': 'br' }),
    ];
    const { etag = '' } = plain.headers;
    expect(etag).toMatch(/^W\/"[\w-]+"$/);
    expect([gzip.headers.etag, br.headers.etag]).toEqual([etag, etag]);
    for (const encoding of ['identity', 'gzip', 'br']) {
      for (const tags of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
        const again = await get(name, { 'If-None-Match': tags, 'Accept-Encoding': encoding });
        expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag]);
        for (const header of ['cache-control', 'vary', 'link'])
          expect([header, again.headers[header]]).toEqual([header, plain.headers[header]]);
      }
    }
    expect((await get(name, { 'If-None-Match': 'W/"other"' })).status).toBe(200);
  });

  it('says that its bytes depend on Accept-Encoding, compressed or not', async () => {
    for (const encoding of ['identity', 'gzip', 'br'])
      expect(vary(await get(name, { 'Accept-Encoding': encoding }))).toContain('Accept-Encoding');
  });
});

it.each(['titles', 'courses', "a user's courses"])(
  'the list of %s is compressed for clients that accept it',
  async (name) => {
    expect((await get(name, { 'Accept-Encoding': 'gzip' })).headers['content-encoding']).toBe(
      'gzip',
    );
    expect(
      (await get(name, { 'Accept-Encoding': 'identity' })).headers['content-encoding'],
    ).toBeUndefined();
  },
);

it('the list of titles has a new ETag after a change', async () => {
  const { headers, body } = await get('titles');
  succeeded(
    await library.manage(
      'post',
      `/api/book-infos/${(body.items as { bookInfoId: number }[])[0]!.bookInfoId}/books`,
      { count: 1 },
    ),
    201,
  );
  const after = await get('titles', { 'If-None-Match': headers.etag ?? '' });
  expect(after.status).toBe(200);
  expect(after.headers.etag).not.toBe(headers.etag);
});

describe('what is kept', () => {
  it('may be stored by every cache that revalidates, when everybody may see it', async () => {
    for (const name of ['titles', 'courses'])
      expect([name, (await get(name)).headers['cache-control']]).toEqual([name, 'no-cache']);
  });

  it('are the popular titles, for less than a minute', async () => {
    const [, seconds] =
      /^max-age=(\d+)$/.exec((await get('popular titles')).headers['cache-control'] ?? '') ?? [];
    expect(Number(seconds)).toBeGreaterThan(0);
    expect(Number(seconds)).toBeLessThan(60);
  });

  it('is stored only by the client, per token, when it depends on the caller', async () => {
    for (const path of [
      `/users/${user.userId}/courses`,
      `/users/${user.userId}courses`,
      `/user/${user.userId}courses`,
    ]) {
      const response = await library.call('get', path, { token: user.token });
      expect([response.headers['cache-control'], vary(response)]).toEqual([
        'private, no-cache',
        ['Accept', 'Authorization', 'Accept-Encoding'],
      ]);
    }
  });

  it('excludes answers without an ETag, such as histories, holds, commands and problems', async () => {
    for (const path of [
      '/api/borrow-histories',
      '/api/holds',
      '/api/commands/none',
      '/users/1/courses',
      '/courses/9007199254740991',
    ]) {
      expect([
        path,
        (await library.call('get', path, { token: user.token })).headers['cache-control'],
      ]).toEqual([path, 'no-store']);
    }
  });
});

it('a strong ETag names the same bytes for everybody: such an answer is not compressed', async () => {
  const { bookInfoId } = await library.registered({
    title: '가'.repeat(255),
    author: '나'.repeat(255),
  });
  const response = await library.call('get', `/api/book-infos/${bookInfoId}`, {
    headers: { 'Accept-Encoding': 'gzip' },
  });
  expect(Number(response.headers['content-length'])).toBeGreaterThan(1024);
  expect([response.headers.etag, response.headers['content-encoding']]).toEqual([
    expect.stringMatching(/^"/),
    undefined,
  ]);
});
