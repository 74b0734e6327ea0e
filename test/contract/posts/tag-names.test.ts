import { succeeded, uniqueWord } from '../../support/clients/books';
import { openBoard, type Board, type Post, type Tag } from '../../support/clients/posts';
import { expectFaults, expectProblem } from '../../support/clients/problems';

/** PATCH /tags/{name} and DELETE /tags/{name} */

let board: Board;
beforeAll(async () => {
  board = await openBoard();
});

const tagsOf = async (postId = 0): Promise<string[]> =>
  (succeeded(await board.call('get', `/posts/${postId}`), 200) as Post).tags;
const show = (name: string) => board.call('get', `/tags/${encodeURIComponent(name)}`);

describe('a rename', () => {
  it('shows the new name on every post, in the place of the old one', async () => {
    const [old, now, other] = [`${uniqueWord()} Old/1`, `${uniqueWord()} New`, uniqueWord()];
    const [first, second, third] = await board.postedWith(
      [other, old],
      [old.toUpperCase()],
      [other],
    );
    const { tagId } = (await board.tag(old)) as Tag;
    const renamed = succeeded(await board.rename(old.toUpperCase(), now), 200);
    expect(renamed).toEqual({ tagId, name: now, postCount: 2 });
    expect([await tagsOf(first), await tagsOf(second), await tagsOf(third)]).toEqual([
      [other, now],
      [now],
      [other],
    ]);
    const found = succeeded(
      await board.call('get', `/posts/tags?${encodeURIComponent(now)}`),
      200,
    ) as Post[];
    expect(found.map(({ tags }) => tags)).toEqual([[now], [other, now]]);
    expect([await board.tag(old), await board.tag(now)]).toEqual([undefined, renamed]);
  });

  it('leaves the posts to be found under the old name, which shows the tag', async () => {
    const [old, now] = [uniqueWord(), uniqueWord()];
    const [postId] = await board.postedWith([old]);
    const renamed = succeeded(await board.rename(old, now), 200);
    expect(await board.find(old)).toEqual([postId]);
    expect(succeeded(await show(old), 200)).toEqual(renamed);
    const later = await board.posted({ tags: [old.toUpperCase(), now] });
    expect(later.tags).toEqual([now]);
    expect(await board.find(now)).toEqual([later.postId, postId]);
  });

  it('can be taken back, and a name that leads to the tag can become its own', async () => {
    const [a, b, merged] = [uniqueWord(), uniqueWord(), uniqueWord()];
    const [postId, other] = await board.postedWith([a], [merged]);
    succeeded(await board.merge(merged, a), 200);
    succeeded(await board.rename(a, b), 200);
    succeeded(await board.rename(b, a), 200);
    expect([await tagsOf(postId), await tagsOf(other)]).toEqual([[a], [merged]]);
    expect(succeeded(await board.rename(a, merged), 200)).toMatchObject({ postCount: 2 });
    expect([await tagsOf(postId), await tagsOf(other)]).toEqual([[merged], [merged]]);
    for (const name of [a, b, merged]) expect(await board.find(name)).toEqual([other, postId]);
  });

  it('of the spelling alone leaves the posts to their authors', async () => {
    const name = uniqueWord();
    const [postId] = await board.postedWith([name]);
    const spelled = name.toUpperCase();
    expect(succeeded(await board.rename(name, ` ${spelled} `), 200)).toMatchObject({
      name: spelled,
    });
    expect(await tagsOf(postId)).toEqual([name]);
  });

  it('keeps the ETag of a post true, and is there when the post is changed', async () => {
    const [old, now, token] = [uniqueWord(), uniqueWord(), board.target.admin];
    const [postId] = await board.postedWith([old]);
    succeeded(await board.rename(old, now), 200);
    const { etag } = (await board.call('get', `/posts/${postId}`)).headers as { etag: string };
    const changed = await board.call('patch', `/posts/${postId}`, {
      ...{ token, body: { title: 'Another' }, headers: { 'If-Match': etag } },
    });
    expect(succeeded(changed, 200)).toMatchObject({ title: 'Another', tags: [now] });
    expect(await tagsOf(postId)).toEqual([now]);
  });

  it('to the name of another tag is 409 TAG_TAKEN, whatever the case, also to a merged one', async () => {
    const [name, taken, merged] = [uniqueWord(), uniqueWord(), uniqueWord()];
    await board.postedWith([name], [taken], [merged]);
    succeeded(await board.merge(merged, taken), 200);
    const { tagId } = (await board.tag(taken)) as Tag;
    for (const to of [taken.toUpperCase(), merged])
      expectProblem(await board.rename(name, to), 409, 'TAG_TAKEN', { tagId });
  });

  it('among posts that are made at the same time loses none of them', async () => {
    const [old, now] = [uniqueWord(), uniqueWord()];
    const [first] = await board.postedWith([old]);
    const [renamed, ...made] = await Promise.all([
      board.rename(old, now),
      ...Array.from({ length: 30 }, () => board.post({ tags: [old] })),
    ]);
    succeeded(renamed, 200);
    const ids = [first, ...made.map((answer) => (succeeded(answer, 201) as Post).postId)];
    for (const name of [old, now]) expect(new Set(await board.find(name))).toEqual(new Set(ids));
    for (const id of ids) expect(await tagsOf(id)).toEqual([now]);
    expect(await board.tag(now)).toMatchObject({ postCount: 31 });
  });

  it('is for administrators, from an existing tag to a valid name', async () => {
    const name = uniqueWord();
    await board.postedWith([name]);
    expectProblem(await board.rename(name, 'x', board.newReader().token), 403, 'FORBIDDEN');
    expectProblem(await board.rename(uniqueWord(), 'x'), 404, 'TAG_NOT_FOUND');
    expectFaults(await board.rename(name, 'a,b'), { name: 'INVALID_FORMAT' });
    expectFaults(await board.rename(name, undefined), { name: 'REQUIRED' });
  });
});

describe('the deletion of a tag', () => {
  it('leaves its posts without it, under every name that led to it', async () => {
    const [former, name, merged, other] = [uniqueWord(), uniqueWord(), uniqueWord(), uniqueWord()];
    const ids = await board.postedWith([former, other], [merged], [other]);
    succeeded(await board.rename(former, name), 200);
    succeeded(await board.merge(merged, name), 200);
    succeeded(await board.deleteTag(name.toUpperCase()), 204);
    expect(await Promise.all(ids.map(tagsOf))).toEqual([[other], [], [other]]);
    for (const gone of [former, name, merged]) {
      expect(await board.find(gone)).toEqual([]);
      expectProblem(await show(gone), 404, 'TAG_NOT_FOUND');
    }
    expectProblem(await board.deleteTag(name), 404, 'TAG_NOT_FOUND');
  });

  it('frees the name: later posts with it have a new tag', async () => {
    const [name, other] = [uniqueWord(), uniqueWord()];
    const [before] = await board.postedWith([name, other]);
    const { tagId } = (await board.tag(name)) as Tag;
    succeeded(await board.deleteTag(name), 204);
    const [after] = await board.postedWith([name]);
    expect([await tagsOf(before), await tagsOf(after)]).toEqual([[other], [name]]);
    expect(await board.find(name)).toEqual([after]);
    const again = (await board.tag(name)) as Tag;
    expect(again.postCount).toBe(1);
    expect(again.tagId).not.toBe(tagId);
  });

  it('among posts that are made at the same time leaves each with the tag or without it', async () => {
    const name = uniqueWord();
    await board.postedWith([name]);
    const [deleted, ...made] = await Promise.all([
      board.deleteTag(name),
      ...Array.from({ length: 30 }, () => board.post({ tags: [name] })),
    ]);
    succeeded(deleted, 204);
    const ids = made.map((answer) => (succeeded(answer, 201) as Post).postId);
    const shown = (await Promise.all(ids.map(tagsOf))).map(({ length }) => length);
    const found = new Set(await board.find(name));
    expect(ids.map((id) => Number(found.has(id)))).toEqual(shown);
    expect((await board.tag(name))?.postCount ?? 0).toBe(found.size);
  });

  it('is for administrators', async () => {
    const name = uniqueWord();
    await board.postedWith([name]);
    expectProblem(await board.deleteTag(name, board.newReader().token), 403, 'FORBIDDEN');
  });
});
