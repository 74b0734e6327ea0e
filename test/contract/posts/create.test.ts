import { expectKeys, succeeded, uniqueWord } from '../../support/clients/books';
import { startService } from '../../support/service/start-service';
import { openBoard, type Board, type Post } from '../../support/clients/posts';
import { expectFaults, expectProblem, outcomesOf } from '../../support/clients/problems';

/** POST /posts */

const POST_KEYS = ['postId', 'title', 'tags', 'content', 'createdAt', 'userId'];

let board: Board;
beforeAll(async () => {
  board = await openBoard();
});

describe('a post', () => {
  it('is 201 with exactly the fields of a post, where it is, and the UTC date of today', async () => {
    const draft = board.draft({ tags: ['spring', '자바 언어'] });
    const before = new Date().toISOString().slice(0, 10);
    const response = await board.call('post', '/posts', { body: draft });
    const post = succeeded(response, 201);
    expectKeys(post, POST_KEYS);
    expect(post).toEqual({
      ...draft,
      postId: expect.any(Number),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    });
    expect([before, new Date().toISOString().slice(0, 10)]).toContain(post.createdAt);
    expect(response.headers.location).toBe(`/posts/${post.postId}`);
    expect(succeeded(await board.call('get', `/posts/${post.postId}`), 200)).toEqual(post);
  });

  it('may have no tags', async () => {
    expect((await board.posted({ tags: [] })).tags).toEqual([]);
  });

  it('keeps its content as it was written', async () => {
    const content = '  <b>line</b>\r\n\tline "quoted" \\ 100% 😀 자바\n\n';
    const { postId } = await board.posted({ content });
    expect((await board.call('get', `/posts/${postId}`)).body.content).toBe(content);
  });

  it('is refused with the character U+0000 in its content, which a database may cut it at', async () => {
    const response = await board.post({ content: 'a\u0000b' });
    expectFaults(response, { content: 'INVALID_FORMAT' });
  });

  it('may have a title of 255 and a content of 100000 characters, an emoji counting as one', async () => {
    const post = await board.posted({ title: '😀'.repeat(255), content: '😀'.repeat(100_000) });
    expect(Array.from(post.content)).toHaveLength(100_000);
  });

  it('may have 20 tags of 50 characters, an emoji counting as one, or of one', async () => {
    const long = Array.from({ length: 19 }, (_, index) => `${'😀'.repeat(48)}${10 + index}`);
    expect((await board.posted({ tags: [...long, 'x'] })).tags).toEqual([...long, 'x']);
  });

  it('is shown at once by every API process, and so are its change and its end', async () => {
    const [tag, userId] = [uniqueWord(), board.target.newUserId()];
    const token = board.target.admin;
    const shown = async ({ postId }: Post) => {
      const [details, found, lists] = await Promise.all(
        [`/posts/${postId}`, `/posts/tags?${tag}`, `/posts?userId=${userId}`].map((path) =>
          board.readEverywhere(path),
        ),
      );
      const seen = [
        ...details!.map(({ body }) => (body.postId ? [body] : [])),
        ...found!.map(({ body }) => body),
        ...lists!.map(({ body }) => body.items),
      ] as Post[][];
      for (const other of seen) expect(other).toEqual(seen[0]);
      return seen[0];
    };
    const post = await board.posted({ tags: [tag], userId });
    expect(await shown(post)).toEqual([post]);
    const changed = succeeded(
      await board.call('patch', `/posts/${post.postId}`, { token, body: { title: 'Changed' } }),
      200,
    ) as Post;
    expect(await shown(post)).toEqual([changed]);
    succeeded(await board.call('delete', `/posts/${post.postId}`, { token }), 204);
    expect(await shown(post)).toEqual([]);
  });

  it('keeps the spelling and the order of its author, without later repeats', async () => {
    const tags = ['  Spring   Boot ', 'b', 'SPRING boot', 'Café', 'B', 'cafe\u0301', 'a'];
    expect((await board.posted({ tags })).tags).toEqual(['Spring Boot', 'b', 'Café', 'a']);
  });

  it('is made once for one Idempotency-Key', async () => {
    const { token, userId } = board.newReader();
    const [body, headers] = [board.draft({ userId }), { 'Idempotency-Key': uniqueWord() }];
    const [first, second] = [
      await board.call('post', '/posts', { token, body, headers }),
      await board.call('post', '/posts', { token, body, headers }),
    ];
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
    expectProblem(
      await board.call('post', '/posts', { token, body: { ...body, title: 'Other' }, headers }),
      422,
      'IDEMPOTENCY_KEY_REUSED',
    );
  });

  it('is a command, which can be waited for', async () => {
    const { token, userId } = board.newReader();
    const { body, status } = await board.post(
      { userId },
      { token, headers: { Prefer: 'respond-async' } },
    );
    expect(status).toBe(202);
    const command = (await board.call('get', `${body.statusUrl}?wait=30`, { token })).body;
    expect(command).toMatchObject({
      type: 'posts.create-post',
      status: 'succeeded',
      httpStatus: 201,
      result: { userId },
    });
  });
});

describe('a post is refused', () => {
  it.each<[string, Record<string, unknown>, Record<string, string>]>([
    ['a blank title', { title: ' ' }, { title: 'TOO_SHORT' }],
    ['a title of 256 characters', { title: 'a'.repeat(256) }, { title: 'TOO_LONG' }],
    ['no content', { content: '' }, { content: 'TOO_SHORT' }],
    ['a content of 100001 characters', { content: 'a'.repeat(100_001) }, { content: 'TOO_LONG' }],
    ['half of a surrogate pair', { content: '\ud800' }, { content: 'INVALID_FORMAT' }],
    [
      '21 tags',
      { tags: Array.from({ length: 21 }, (_, index) => `tag ${index}`) },
      { tags: 'TOO_LONG' },
    ],
    ['tags that are no list', { tags: 'spring' }, { tags: 'INVALID_TYPE' }],
    ['a list of tags in a text', { tags: '["spring"]' }, { tags: 'INVALID_TYPE' }],
    ['a blank tag', { tags: ['a', '  '] }, { 'tags.1': 'TOO_SHORT' }],
    ['a tag with a comma', { tags: ['a,b'] }, { 'tags.0': 'INVALID_FORMAT' }],
    [
      'a tag with a control character',
      { tags: ['a\u0007b', 'a\nb'] },
      { 'tags.0': 'INVALID_FORMAT', 'tags.1': 'INVALID_FORMAT' },
    ],
    ['a tag of 51 characters', { tags: ['😀'.repeat(51)] }, { 'tags.0': 'TOO_LONG' }],
    [
      'tags that are no texts',
      { tags: [1, null] },
      { 'tags.0': 'INVALID_TYPE', 'tags.1': 'INVALID_TYPE' },
    ],
    ['an author that is no id', { userId: 0 }, { userId: 'OUT_OF_RANGE' }],
    ['an author in a text', { userId: '5' }, { userId: 'INVALID_TYPE' }],
    ['an unknown field', { createdAt: '2024-01-01' }, { createdAt: 'UNKNOWN_FIELD' }],
  ])('400 VALIDATION_FAILED for %s', async (_name, fields, faults) => {
    expectFaults(await board.post(fields), faults);
  });

  it('400 VALIDATION_FAILED that names every field that is missing', async () => {
    expectFaults(await board.call('post', '/posts', { body: {} }), {
      title: 'REQUIRED',
      content: 'REQUIRED',
      tags: 'REQUIRED',
      userId: 'REQUIRED',
    });
  });

  it('403 FORBIDDEN with a token of somebody else, also when the client does not wait, but not of an administrator', async () => {
    const { token, userId } = board.newReader();
    expectProblem(await board.post({}, { token }), 403, 'FORBIDDEN');
    expectProblem(
      await board.post({}, { token, headers: { Prefer: 'respond-async' } }),
      403,
      'FORBIDDEN',
    );
    succeeded(await board.post({ userId }, { token }), 201);
    succeeded(await board.post({}, { token: board.target.admin }), 201);
  });

  it('400 comes before the 403 that depends on the body', async () => {
    expectFaults(await board.post({ title: '' }, { token: board.newReader().token }), {
      title: 'TOO_SHORT',
    });
  });

  it('401 with a bad token, although none is needed', async () => {
    expectProblem(await board.post({}, { token: 'none' }), 401, 'TOKEN_INVALID');
  });
});

describe('posts at the same time', () => {
  it('that share a new tag are all made, and make one tag that counts them', async () => {
    const name = uniqueWord();
    const spellings = [name, name.toUpperCase()];
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        board.post({ tags: [spellings[index % 2], uniqueWord(), uniqueWord()] }),
      ),
    );
    expect(outcomesOf(responses)).toEqual({ 201: 50 });
    const { items } = succeeded(await board.call('get', `/tags?q=${name}`), 200);
    expect(items).toEqual([{ tagId: expect.any(Number), name: expect.any(String), postCount: 50 }]);
    expect(new Set(await board.find(name))).toEqual(
      new Set(responses.map(({ body }) => body.postId as number)),
    );
  });
});

describe('REQUIRE_AUTH_FOR_POSTS=true', () => {
  it('takes posts with a token only, and shows them to anybody', async () => {
    const closed = await openBoard(
      (await startService({ env: { REQUIRE_AUTH_FOR_POSTS: 'true' } })).target,
    );
    const { token, userId } = closed.newReader();
    const tag = uniqueWord();
    expectProblem(await closed.post({ userId }), 401, 'UNAUTHENTICATED');
    const { postId } = succeeded(await closed.post({ userId, tags: [tag] }, { token }), 201);
    expect(await closed.find(tag)).toEqual([postId]);
  });
});
