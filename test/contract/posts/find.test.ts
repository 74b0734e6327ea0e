import { succeeded, uniqueWord } from '../../support/clients/books';
import { openBoard, type Board, type Post } from '../../support/clients/posts';
import { expectFaults } from '../../support/clients/problems';

/** GET /posts/tags */

let board: Board;
/**
 * Tags that no other test uses: a on all posts, b on the second and third, c on the third alone.
 */
let [a, b, c] = ['', '', ''];
let posts: number[];
beforeAll(async () => {
  board = await openBoard();
  [a, b, c] = [uniqueWord(), uniqueWord(), uniqueWord()];
  posts = await board.postedWith([a], [a, b], [b, a, c]);
});

const newestFirst = (...places: number[]): (number | undefined)[] =>
  places.map((place) => posts[place]);

describe('posts by tags', () => {
  it('are an array of posts with the same fields, the newest first', async () => {
    const { body, headers } = await board.call('get', `/posts/tags?${a}`);
    expect((body as Post[]).map(({ postId }) => postId)).toEqual(newestFirst(2, 1, 0));
    expect(body[0]).toEqual(succeeded(await board.call('get', `/posts/${posts[2]}`), 200));
    expect([headers['x-total-count'], headers['content-type']]).toEqual([
      '3',
      'application/json; charset=utf-8',
    ]);
  });

  it('have all tags that are listed, and may have more', async () => {
    expect(await board.find(`${b},${a}`)).toEqual(newestFirst(2, 1));
    expect(await board.find(`${a},${b},${c}`)).toEqual(newestFirst(2));
    expect(await board.find(`${a},${b}&match=all`)).toEqual(newestFirst(2, 1));
  });

  it('have one of the tags with match=any, and each comes once', async () => {
    expect(await board.find(`${c},${b}&match=any`)).toEqual(newestFirst(2, 1));
    expect(await board.find(`${a},${b},${c}&match=any`)).toEqual(newestFirst(2, 1, 0));
    expect(await board.find(`${a},${uniqueWord()}&match=any`)).toEqual(newestFirst(2, 1, 0));
  });

  it('have none of the tags of exclude', async () => {
    expect(await board.find(`${a}&exclude=${c}`)).toEqual(newestFirst(1, 0));
    expect(await board.find(`${a}&exclude=${c},${b},${uniqueWord()}`)).toEqual(newestFirst(0));
    expect(await board.find(`${a},${b}&match=any&exclude=${c}`)).toEqual(newestFirst(1, 0));
    expect(await board.find(`${a}&exclude=${a}`)).toEqual([]);
    expect(await board.find(`${a}&exclude=`)).toEqual(newestFirst(2, 1, 0));
  });

  it('are those of one author with userId', async () => {
    const userId = board.target.newUserId();
    const { postId } = await board.posted({ userId, tags: [a.toUpperCase()] });
    try {
      expect(await board.find(`${a}&userId=${userId}`)).toEqual([postId]);
      expect(await board.find(`${a},${b}&match=any&userId=${userId}`)).toEqual([postId]);
      expect(await board.find(`${a}&userId=${userId}&exclude=${a}`)).toEqual([]);
    } finally {
      succeeded(await board.call('delete', `/posts/${postId}`, { token: board.target.admin }), 204);
    }
  });

  it('that no post has give an empty array', async () => {
    for (const query of [uniqueWord(), `${a},${uniqueWord()}`, `${uniqueWord()}&match=any`]) {
      const { status, body, headers } = await board.call('get', `/posts/tags?${query}`);
      expect([status, body, headers['x-total-count']]).toEqual([200, [], '0']);
    }
  });

  it('come in pages, with the total and links that keep the list of tags', async () => {
    const { body, headers } = await board.call('get', `/posts/tags?${a}&match=any&page=2&size=1`);
    expect([(body as Post[]).map(({ postId }) => postId), headers['x-total-count']]).toEqual([
      newestFirst(1),
      '3',
    ]);
    expect(headers.link).toContain(`</posts/tags?${a}&match=any&page=3&size=1>; rel="next"`);
    expect(await board.find(`${a},${b}&match=any&page=2&size=2`)).toEqual(newestFirst(0));
    expect(await board.find(`${a}&page=9007199254740991`)).toEqual([]);
    expect(await board.find(`${a},${b}&match=any&page=9007199254740991`)).toEqual([]);
  });

  it('are each found once, on one page of all, by any combination of tags, match, exclude, author and size', async () => {
    const [one, two, three] = [uniqueWord(), uniqueWord(), uniqueWord()];
    const authors = [board.target.newUserId(), board.target.newUserId()] as const;
    const made: { postId: number; tags: string[]; userId: number }[] = [];
    for (let number = 0; number < 14; number += 1) {
      const tags = [one, two, three].filter((_tag, bit) => (number >> bit) % 2 === 1);
      const { postId } = await board.posted({ tags, userId: authors[number % 3 === 0 ? 1 : 0] });
      made.unshift({ postId, tags, userId: authors[number % 3 === 0 ? 1 : 0] });
    }
    const lists = [[one], [one, two], [three, two, one]];
    const filters = [[], [three], [two, uniqueWord()]].flatMap((exclude) =>
      [undefined, ...authors].map((userId) => ({ exclude, userId })),
    );
    const searches = lists.flatMap((listed) =>
      (['all', 'any'] as const).flatMap((match) =>
        filters.map((filter) => ({ listed, match, ...filter })),
      ),
    );
    for (const { listed, match, exclude, userId } of searches) {
      const wanted = (tags: string[]) =>
        match === 'all'
          ? listed.every((tag) => tags.includes(tag))
          : listed.some((tag) => tags.includes(tag));
      const expected = made.filter(
        (post) =>
          wanted(post.tags) &&
          !exclude.some((tag) => post.tags.includes(tag)) &&
          (userId === undefined || post.userId === userId),
      );
      const query = `${listed.join(',')}&match=${match}&exclude=${exclude.join(',')}${userId === undefined ? '' : `&userId=${userId}`}&size=3`;
      const found: number[] = [];
      for (let page = 1; page <= Math.ceil(expected.length / 3) + 1; page += 1)
        found.push(...(await board.find(`${query}&page=${page}`)));
      expect([query, found]).toEqual([query, expected.map(({ postId }) => postId)]);
    }
  });

  it('come 100 at a time, and 1000 at most', async () => {
    const link = async (size: string) =>
      (await board.call('get', `/posts/tags?${a}${size}`)).headers.link;
    expect(await link('')).toContain('size=100>');
    expect(await link('&size=1000')).toContain('size=1000>');
    expect(await link('&size=5000')).toContain('size=1000>');
  });
});

describe('the list of tags', () => {
  const word = uniqueWord();

  it.each([
    ['c++', 'c++'],
    ['c++', 'c%2B%2B'],
    ['c#', 'c%23'],
    ['자바 언어', '%EC%9E%90%EB%B0%94%20%EC%96%B8%EC%96%B4'],
    ['자바 언어', '%EC%9E%90%EB%B0%94%20%20%EC%96%B8%EC%96%B4%20'],
    ['x=y', 'x%3Dy'],
    ['x&y', 'x%26y'],
    ['100%', '100%25'],
    ["o'brien\\", "o'brien%5C"],
    ['page', 'page'],
    ['Straße', 'STRASSE'],
    ['ΟΔΟΣ', '%CE%BF%CE%B4%CE%BF%CF%83'],
  ])('finds the tag %s by %s', async (tag, query) => {
    const { postId } = await board.posted({ tags: [tag, word] });
    expect(await board.find(`${query},${word}&size=1`)).toEqual([postId]);
  });

  it('does not take an accent, nor a compatibility form, for the plain letter', async () => {
    const plain = `resume${uniqueWord()}`;
    const [first, second, third] = await board.postedWith(
      [plain],
      [plain.replace('e', 'é')],
      [plain.replace('r', 'ｒ')],
    );
    expect(await board.find(plain)).toEqual([first]);
    expect(await board.find(encodeURIComponent(plain.replace('e', 'e\u0301')))).toEqual([second]);
    expect(await board.find(encodeURIComponent(plain.replace('r', 'Ｒ')))).toEqual([third]);
  });

  it('is split at percent-encoded commas as well, and blanks are dropped', async () => {
    expect(await board.find(`${a}%2C${b}`)).toEqual(newestFirst(2, 1));
    expect(await board.find(`,%20,${a},,`)).toEqual(newestFirst(2, 1, 0));
    expect(await board.find(`${a},${a.toUpperCase()},${a}`)).toEqual(newestFirst(2, 1, 0));
  });

  it('may stand behind parameters, or be named tags', async () => {
    expect(await board.find(`match=all&${a},${b}`)).toEqual(newestFirst(2, 1));
    expect(await board.find(`tags=${a},${b}`)).toEqual(newestFirst(2, 1));
    const plus = `${uniqueWord()}++`;
    const [postId] = await board.postedWith([plus]);
    expect(await board.find(`size=5&tags=${plus}`)).toEqual([postId]);
    expect(await board.find(`${a},${plus}&match=any&exclude=${plus}`)).toEqual(
      newestFirst(2, 1, 0),
    );
  });

  it('may be several parameters, as generated clients write lists', async () => {
    expect(await board.find(`tags=${a}&tags=${b}`)).toEqual(newestFirst(2, 1));
    expect(await board.find(`${a}&tags=${b}`)).toEqual(newestFirst(2, 1));
    expect(await board.find(`tags=${a}&exclude=${b}&exclude=${uniqueWord()}`)).toEqual(
      newestFirst(0),
    );
  });

  it('may end in an equals sign, as clients and proxies write a name without a value', async () => {
    expect(await board.find(`${a}%2C${b}=`)).toEqual(newestFirst(2, 1));
    expect(await board.find(`match=any&${a},${b}=&size=1`)).toEqual(newestFirst(2));
    expectFaults(await board.call('get', `/posts/tags?${a}&${b}=`), { [b]: 'UNKNOWN_PARAMETER' });
    expectFaults(await board.call('get', `/posts/tags?${a}&page=`), { page: 'TOO_SHORT' });
  });

  it('of 20 tags is looked for', async () => {
    const tags = Array.from({ length: 20 }, () => uniqueWord());
    const [postId] = await board.postedWith(tags);
    expect(await board.find(tags.join(','))).toEqual([postId]);
    expect(await board.find(`${tags.join(',')}&match=any`)).toEqual([postId]);
  });

  it.each(['', '?', '?,', '?%20', '?tags=', '?tags=,', '?match=any', '?page=2'])(
    'that is empty is 400 TAGS_REQUIRED: %s',
    async (query) => {
      expectFaults(
        await board.call('get', `/posts/tags${query}`),
        { tags: 'TAGS_REQUIRED' },
        'TAGS_REQUIRED',
      );
    },
  );

  it.each<[string, Record<string, string>]>([
    [Array.from({ length: 21 }, (_, index) => `t${index}`).join(','), { tags: 'TOO_LONG' }],
    ['x'.repeat(51), { tags: 'TOO_LONG' }],
    ['a%00b', { tags: 'INVALID_FORMAT' }],
    ['a%zz', { query: 'INVALID_FORMAT' }],
    ['a%FF', { query: 'INVALID_FORMAT' }],
    ['a&b', { b: 'UNKNOWN_PARAMETER' }],
    ['a&limit=5', { limit: 'UNKNOWN_PARAMETER' }],
    ['a&match=some', { match: 'INVALID_VALUE' }],
    ['a&match=any&match=all', { match: 'REPEATED_PARAMETER' }],
    ['a&userId=0', { userId: 'INVALID_TYPE' }],
    ['a&page=0&size=x', { page: 'OUT_OF_RANGE', size: 'INVALID_TYPE' }],
    [`a&exclude=${'x'.repeat(51)}`, { exclude: 'TOO_LONG' }],
    ['page=0', { tags: 'TAGS_REQUIRED', page: 'OUT_OF_RANGE' }],
  ])('400 VALIDATION_FAILED for ?%.30s', async (query, faults) => {
    expectFaults(await board.call('get', `/posts/tags?${query}`), faults);
  });
});
