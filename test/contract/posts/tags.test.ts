import { succeeded, uniqueWord } from '../../support/clients/books';
import { openBoard, type Board, type Tag } from '../../support/clients/posts';
import { expectFaults, expectProblem } from '../../support/clients/problems';

/** GET /tags and POST /tags/{name}/merge */

let board: Board;
beforeAll(async () => {
  board = await openBoard();
});

const names = (items: Tag[]) => items.map(({ name }) => name);

describe('the list of tags', () => {
  let word: string;
  beforeAll(async () => {
    word = uniqueWord();
    await board.postedWith(
      [`${word} B`, `${word} a`],
      [`${word} a`, `${word} É`],
      [`${word} a`, `${word} B`],
    );
  });
  const list = async (query: string) => succeeded(await board.call('get', `/tags?${query}`), 200);

  it('has what begins with q, whatever the case, the most used first', async () => {
    expect(await list(`q=${word.toUpperCase()}`)).toEqual({
      items: [`${word} a`, `${word} B`, `${word} É`].map((name, index) => ({
        tagId: expect.any(Number),
        name,
        postCount: 3 - index,
      })),
      ...{ page: 1, size: 20, totalItems: 3, totalPages: 1 },
    });
    expect(names((await list(`q=${word}%20%C3%A9`)).items)).toEqual([`${word} É`]);
    expect((await list(`q=${word.slice(1)}`)).items).toEqual([]);
    expect((await list(`q=${word}%25`)).items).toEqual([]);
  });

  it('can be sorted by name and by count, and comes in pages', async () => {
    expect(names((await list(`q=${word}&sort=name`)).items)).toEqual([
      `${word} a`,
      `${word} B`,
      `${word} É`,
    ]);
    expect(names((await list(`q=${word}&sort=-name&size=1&page=2`)).items)).toEqual([`${word} B`]);
    expect(names((await list(`q=${word}&sort=postCount`)).items)).toEqual([
      `${word} É`,
      `${word} B`,
      `${word} a`,
    ]);
    expectFaults(await board.call('get', '/tags?sort=age'), { sort: 'INVALID_VALUE' });
  });

  it('has all tags without q', async () => {
    expect((await list('q=&size=1')).items).toHaveLength(1);
    expect((await list('size=1')).totalItems).toBeGreaterThanOrEqual(3);
  });
});

describe('a merge', () => {
  it('keeps every post reachable under both names, and shows the tags as their authors wrote them', async () => {
    const [from, into] = [`${uniqueWord()} Old/1`, uniqueWord()];
    const [old, both, kept] = await board.postedWith([from], [into, from], [into]);
    const merged = succeeded(await board.merge(from.toUpperCase(), into), 200);
    expect(merged).toEqual({ tagId: expect.any(Number), name: into, postCount: 3 });
    for (const name of [from, into])
      expect(await board.find(encodeURIComponent(name))).toEqual([kept, both, old]);
    expect(await board.find(`${encodeURIComponent(from)},${into}`)).toEqual([kept, both, old]);
    expect(succeeded(await board.call('get', `/posts/${both}`), 200).tags).toEqual([into, from]);
    expect([await board.tag(from), await board.tag(into)]).toEqual([undefined, merged]);
  });

  it('counts later posts, changes and deletions under either name', async () => {
    const [from, into] = [uniqueWord(), uniqueWord()];
    const token = board.target.admin;
    const [first] = await board.postedWith([from], [into]);
    succeeded(await board.merge(from, into), 200);
    const [both, old] = await board.postedWith([from, into], [from]);
    expect((await board.tag(into))?.postCount).toBe(4);
    expect((await board.find(into)).slice(0, 2)).toEqual([old, both]);
    succeeded(await board.call('patch', `/posts/${both}`, { token, body: { tags: [from] } }), 200);
    succeeded(await board.call('patch', `/posts/${old}`, { token, body: { tags: [] } }), 200);
    succeeded(await board.call('delete', `/posts/${first}`, { token }), 204);
    expect((await board.tag(into))?.postCount).toBe(2);
    expect(await board.find(`${from}&exclude=${into}`)).toEqual([]);
  });

  it('of a tag that others were merged into takes them along, in either direction', async () => {
    const [a, b, c] = [uniqueWord(), uniqueWord(), uniqueWord()];
    const posts = await board.postedWith([a], [b], [c]);
    succeeded(await board.merge(a, b), 200);
    expect(succeeded(await board.merge(b, c), 200)).toMatchObject({ name: c, postCount: 3 });
    for (const name of [a, b, c]) expect(await board.find(name)).toEqual([...posts].reverse());
    expect(succeeded(await board.merge(c, a), 200)).toMatchObject({ name: c, postCount: 3 });
  });

  it('into itself is 400, in whatever spelling, and sent again is 200', async () => {
    const [from, into] = [uniqueWord(), uniqueWord()];
    await board.postedWith([from], [into]);
    expectFaults(await board.merge(from, from), { into: 'CONFLICTING_FIELDS' });
    expectFaults(await board.merge(from, ` ${from.toUpperCase()} `), {
      into: 'CONFLICTING_FIELDS',
    });
    const merged = succeeded(await board.merge(from, into), 200);
    expect(succeeded(await board.merge(from, into), 200)).toEqual(merged);
  });

  it('among posts that are made at the same time loses none of them', async () => {
    const [from, into] = [uniqueWord(), uniqueWord()];
    const token = board.target.admin;
    const changed = await board.postedWith([from], [from], [from], [into], [into]);
    const posting = Array.from({ length: 40 }, (_, index) =>
      board.post({ tags: index % 4 === 0 ? [from, into] : [index % 2 ? from : into] }),
    );
    const changing = changed.map((postId, index) =>
      board.call('patch', `/posts/${postId}`, {
        token,
        body: { tags: index % 2 ? [into] : [from, into] },
      }),
    );
    const [made, patched, merged] = await Promise.all([
      Promise.all(posting),
      Promise.all(changing),
      board.merge(from, into),
    ]);
    expect([...new Set([...made, ...patched, merged].map(({ status }) => status))].sort()).toEqual([
      200, 201,
    ]);
    const all = new Set([...changed, ...made.map(({ body }) => body.postId as number)]);
    for (const name of [from, into]) expect(new Set(await board.find(name))).toEqual(all);
    expect((await board.tag(into))?.postCount).toBe(45);
  });

  it('is for administrators', async () => {
    const [from, into] = [uniqueWord(), uniqueWord()];
    await board.postedWith([from, into]);
    expectProblem(await board.merge(from, into, board.newReader().token), 403, 'FORBIDDEN');
    expectProblem(
      await board.call('post', `/tags/${from}/merge`, { body: { into } }),
      401,
      'UNAUTHENTICATED',
    );
  });

  it('of or into a tag that is not there is 404 TAG_NOT_FOUND', async () => {
    const known = uniqueWord();
    await board.postedWith([known]);
    expectProblem(await board.merge(uniqueWord(), known), 404, 'TAG_NOT_FOUND');
    expectProblem(await board.merge(known, uniqueWord()), 404, 'TAG_NOT_FOUND');
    expectProblem(await board.merge('a,b', known), 404, 'TAG_NOT_FOUND');
  });

  it('without a good target is 400 VALIDATION_FAILED', async () => {
    expectFaults(await board.merge('any', undefined), { into: 'REQUIRED' });
    expectFaults(await board.merge('any', 'a,b'), { into: 'INVALID_FORMAT' });
  });
});
