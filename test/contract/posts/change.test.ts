import { succeeded, uniqueWord } from '../../support/clients/books';
import { openBoard, type Board, type Post } from '../../support/clients/posts';
import { expectFaults, expectProblem, outcomesOf } from '../../support/clients/problems';
import type { Reader } from '../../support/clients/requests';

/** GET /posts, and GET, PATCH and DELETE /posts/{postId} */

let board: Board;
let author: Reader;
beforeAll(async () => {
  board = await openBoard();
  author = board.newReader();
});

const own = (fields: object = {}): Promise<Post> =>
  board.posted({ userId: author.userId, ...fields });
const patch = (postId: number, body: unknown, token: string | undefined = author.token) =>
  board.call('patch', `/posts/${postId}`, { token, body });
const etagOf = async (postId: number) =>
  (await board.call('get', `/posts/${postId}`)).headers.etag as string;
const remove = (postId: number, token: string | undefined = author.token) =>
  board.call('delete', `/posts/${postId}`, { token });
const shown = async (postId: number) =>
  succeeded(await board.call('get', `/posts/${postId}`), 200) as Post;

describe('a change', () => {
  it.each<[string, object]>([
    ['title', { title: 'New title' }],
    ['content', { content: 'New content' }],
    ['tags', { tags: ['new tag', 'other'] }],
    ['all', { title: 'New', content: 'New', tags: [] }],
  ])('of %s is 200 with the whole post, and leaves the rest alone', async (_name, changes) => {
    const before = await own({ tags: ['old'] });
    expect(succeeded(await patch(before.postId, changes), 200)).toEqual({ ...before, ...changes });
    expect(await shown(before.postId)).toEqual({ ...before, ...changes });
  });

  it('of tags moves the post and the counts', async () => {
    const [kept, dropped, added] = [uniqueWord(), uniqueWord(), uniqueWord()];
    const { postId } = await own({ tags: [kept, dropped] });
    succeeded(await patch(postId, { tags: [added, kept.toUpperCase()] }), 200);
    expect(await Promise.all([kept, dropped, added].map((tag) => board.find(tag)))).toEqual([
      [postId],
      [],
      [postId],
    ]);
    const counts = await Promise.all(
      [kept, dropped, added].map(async (tag) => (await board.tag(tag))?.postCount),
    );
    expect(counts).toEqual([1, 0, 1]);
    expect((await shown(postId)).tags).toEqual([added, kept.toUpperCase()]);
  });

  it('may be made by an administrator, and leaves the author', async () => {
    const { postId } = await own();
    expect(
      succeeded(await patch(postId, { title: 'Edited' }, board.target.admin), 200),
    ).toMatchObject({ title: 'Edited', userId: author.userId });
  });

  it('of somebody else is 403 FORBIDDEN, also when the client does not wait, and changes nothing', async () => {
    const before = await own();
    const { token } = board.newReader();
    expectProblem(await patch(before.postId, { title: 'x' }, token), 403, 'FORBIDDEN');
    expectProblem(
      await board.call('patch', `/posts/${before.postId}`, {
        token,
        body: { title: 'x' },
        headers: { Prefer: 'respond-async' },
      }),
      403,
      'FORBIDDEN',
    );
    expectProblem(await remove(before.postId, token), 403, 'FORBIDDEN');
    expect(await shown(before.postId)).toEqual(before);
  });

  it('without a token is 401, whoever wrote the post', async () => {
    const { postId } = await own();
    expectProblem(
      await board.call('patch', `/posts/${postId}`, { body: { title: 'x' } }),
      401,
      'UNAUTHENTICATED',
    );
    expectProblem(await board.call('delete', `/posts/${postId}`), 401, 'UNAUTHENTICATED');
  });

  it('of an unknown post is 404 POST_NOT_FOUND', async () => {
    expectProblem(await patch(board.target.newUserId(), { title: 'x' }), 404, 'POST_NOT_FOUND');
  });

  it.each(['postId', 'createdAt', 'userId'])('of %s is 400 READ_ONLY_FIELD', async (field) => {
    const { postId } = await own();
    expectFaults(
      await patch(postId, { [field]: 2 }),
      { [field]: 'READ_ONLY_FIELD' },
      'READ_ONLY_FIELD',
    );
  });

  it('that is empty, or wrong, is 400 VALIDATION_FAILED', async () => {
    const { postId } = await own();
    expectFaults(await patch(postId, {}), { body: 'REQUIRED' });
    expectFaults(await patch(postId, { title: null, tags: ['a,b'] }), {
      title: 'INVALID_TYPE',
      'tags.0': 'INVALID_FORMAT',
    });
  });

  it('at the same time as others of the same post leaves each field as somebody wanted it, and the counts right', async () => {
    const [first, second] = [uniqueWord(), uniqueWord()];
    const { postId } = await own();
    const changes = [
      ...Array.from({ length: 10 }, (_, index) => ({
        tags: index % 2 ? [first, second] : [second],
      })),
      { title: 'Written' },
      { content: 'Written' },
    ];
    const responses = await Promise.all(changes.map((change) => patch(postId, change)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    const { tags, title, content } = await shown(postId);
    expect([title, content]).toEqual(['Written', 'Written']);
    expect([
      (await board.tag(first))?.postCount ?? 0,
      (await board.tag(second))?.postCount,
    ]).toEqual([tags.length - 1, 1]);
  });
});

describe('a post that is deleted', () => {
  it('is 204, and is nowhere after that', async () => {
    const tag = uniqueWord();
    const { postId } = await own({ tags: [tag] });
    const other = await own({ tags: [tag] });
    expect(succeeded(await remove(postId), 204)).toEqual({});
    for (const response of [
      await board.call('get', `/posts/${postId}`),
      await patch(postId, { title: 'x' }),
      await remove(postId),
    ])
      expectProblem(response, 404, 'POST_NOT_FOUND');
    expect(await board.find(tag)).toEqual([other.postId]);
    expect((await board.tag(tag))?.postCount).toBe(1);
    expect(
      (await board.call('get', `/posts?userId=${author.userId}&size=100`)).body.items.map(
        (post: Post) => post.postId,
      ),
    ).not.toContain(postId);
  });
});

describe('the list of posts', () => {
  it('has the posts of an author in pages, the newest first', async () => {
    const userId = board.target.newUserId();
    const ids: number[] = [];
    for (let count = 0; count < 3; count += 1) ids.push((await board.posted({ userId })).postId);
    const { body, headers } = await board.call('get', `/posts?userId=${userId}&size=2`);
    expect(body).toEqual({
      items: [await shown(ids[2]!), await shown(ids[1]!)],
      page: 1,
      size: 2,
      totalItems: 3,
      totalPages: 2,
    });
    expect(headers['x-total-count']).toBe('3');
    expect((await board.call('get', `/posts?userId=${userId}&size=2&page=2`)).body.items).toEqual([
      await shown(ids[0]!),
    ]);
  });

  it('refuses unknown parameters', async () => {
    expectFaults(await board.call('get', '/posts?author=1&userId=x'), {
      author: 'UNKNOWN_PARAMETER',
      userId: 'INVALID_TYPE',
    });
  });

  it('answers 400 or 404 for an id that no post has', async () => {
    expectFaults(await board.call('get', '/posts/0'), { postId: 'INVALID_ID' }, 'INVALID_ID');
    expectProblem(
      await board.call('get', `/posts/${board.target.newUserId()}`),
      404,
      'POST_NOT_FOUND',
    );
  });
});

describe('an If-Match', () => {
  const given = (method: 'patch' | 'delete', postId: number, etag: string, body?: unknown) =>
    board.call(method, `/posts/${postId}`, {
      token: author.token,
      headers: { 'If-Match': etag },
      ...(body !== undefined && { body }),
    });

  it.each(['patch', 'delete'] as const)(
    'that names another version than a %s finds is 412 VERSION_MISMATCH, and nothing is done',
    async (method) => {
      const { postId } = await own();
      const before = await etagOf(postId);
      succeeded(await patch(postId, { title: 'Newer' }), 200);
      const newer = await shown(postId);
      const body = method === 'patch' ? { title: 'Newest' } : undefined;
      for (const etag of [before, '"something-else"', 'no tag', '""'])
        expectProblem(await given(method, postId, etag, body), 412, 'VERSION_MISMATCH');
      expect(await shown(postId)).toEqual(newer);
      expect((await given(method, postId, `${before}, ${await etagOf(postId)}`, body)).status).toBe(
        method === 'patch' ? 200 : 204,
      );
    },
  );

  it('that is a star fits any version, but not a post that is not there', async () => {
    const { postId } = await own();
    expect((await given('patch', postId, '*', { title: 'Newer' })).status).toBe(200);
    expectProblem(await given('delete', board.target.newUserId(), '*'), 404, 'POST_NOT_FOUND');
  });

  it('may be the ETag that the change before answered with', async () => {
    const { postId } = await own();
    const first = await patch(postId, { title: 'Second' });
    expect(first.headers.etag).toBe(await etagOf(postId));
    expect(
      (await given('patch', postId, first.headers.etag as string, { title: 'Third' })).status,
    ).toBe(200);
    expectProblem(
      await given('patch', postId, first.headers.etag as string, { title: 'Fourth' }),
      412,
      'VERSION_MISMATCH',
    );
  });

  it('lets one of several changes at the same time win', async () => {
    const { postId } = await own();
    const etag = await etagOf(postId);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        given('patch', postId, etag, { title: `Writer ${index}` }),
      ),
    );
    expect(outcomesOf(answers)).toEqual({ 200: 1, '412 VERSION_MISMATCH': 7 });
  });
});

it('an If-None-Match that names the ETag of a post is 304', async () => {
  const { postId } = await own();
  const { status } = await board.call('get', `/posts/${postId}`, {
    headers: { 'If-None-Match': await etagOf(postId) },
  });
  expect(status).toBe(304);
});
