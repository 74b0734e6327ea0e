import {
  admin,
  Board,
  boardWithPost,
  create,
  merge,
  remove,
  removeTag,
  rename,
  update,
  user,
} from '../../support/models/posts/board';

describe('creating', () => {
  it('makes a post with the UTC date of now, and the tags that are new', () => {
    const board = new Board();
    expect(board.done(create(['Java', 'c++']))).toEqual({
      postId: 100,
      title: 'Title',
      tags: ['Java', 'c++'],
      content: 'Content',
      createdAt: '2024-02-28',
      userId: 7,
    });
    expect(board.state.pending()).toMatchObject({
      inserted: [{ id: 100, tagIds: [100, 101] }],
      tags: [
        { id: 100, name: 'Java' },
        { id: 101, name: 'c++' },
      ],
    });
  });

  it('is created, and published as one event of the post', () => {
    const decision = new Board().decide(create());
    expect(decision).toMatchObject({
      kind: 'done',
      created: true,
      events: [{ type: 'posts.post.created', aggregateId: 'post:100', data: { postId: 100 } }],
    });
  });

  it('uses an existing tag of another spelling, and keeps that spelling', () => {
    const board = boardWithPost();
    expect(board.done(create(['java', 'C++']))).toMatchObject({ tags: ['java', 'C++'] });
    expect(board.state.pending()).toMatchObject({ inserted: [{ tagIds: [1, 2] }], tags: [] });
  });

  it('drops later repeats of a tag', () => {
    const board = new Board();
    expect(board.done(create(['Straße', 'b', 'STRASSE', 'B']))).toMatchObject({
      tags: ['Straße', 'b'],
    });
    expect(board.state.pending().gained).toMatchObject([{ tagIds: [100, 101] }]);
  });

  it('makes a new tag once for all posts of a batch', () => {
    const board = new Board();
    for (const spelling of ['New', 'NEW', 'new']) board.done(create([spelling]));
    expect(board.state.pending()).toMatchObject({
      tags: [{ id: 100, name: 'New' }],
      gained: [{ tagIds: [100] }, { tagIds: [100] }, { tagIds: [100] }],
    });
  });

  it('links a tag and one that was merged into it once, and shows both', () => {
    const board = boardWithPost();
    expect(board.done(create(['Boot', 'Spring']))).toMatchObject({ tags: ['Boot', 'Spring'] });
    expect(board.state.pending().gained).toMatchObject([{ tagIds: [3] }]);
  });
});

describe('updating', () => {
  it('changes what is given and nothing else', () => {
    const board = boardWithPost();
    expect(board.done(update(1, { title: 'New' }))).toMatchObject({
      title: 'New',
      content: 'Content',
      tags: ['JAVA', 'c++'],
      createdAt: '2024-01-01',
    });
    expect(board.state.pending()).toMatchObject({
      gained: [],
      lost: [],
      updated: [{ id: 1, title: 'New' }],
    });
  });

  it('writes the difference of the tags, over all changes of the batch', () => {
    const board = boardWithPost();
    board.done(update(1, { tags: ['spring'] }));
    board.done(update(1, { tags: ['boot', 'Java', 'new'] }));
    expect(board.state.pending()).toMatchObject({
      gained: [{ tagIds: [3, 100] }],
      lost: [{ tagIds: [2] }],
      updated: [{ tags: ['boot', 'Java', 'new'] }],
    });
  });

  it('without a difference makes no change and no event, but another spelling does', () => {
    const board = boardWithPost();
    expect(board.decide(update(1, { title: 'Title', tags: ['JAVA', 'c++'] }))).toMatchObject({
      kind: 'done',
      events: [],
    });
    expect(board.state.pending().updated).toEqual([]);
    expect(board.decide(update(1, { tags: ['Java', 'c++'] }))).toMatchObject({
      kind: 'done',
      events: [{ type: 'posts.post.updated' }],
    });
    expect(board.state.pending()).toMatchObject({
      gained: [],
      lost: [],
      updated: [{ tags: ['Java', 'c++'] }],
    });
  });

  it('is for the author and for administrators', () => {
    const board = boardWithPost();
    expect(board.refusal(update(1, { title: 'New' }, user(8)))).toBe('FORBIDDEN');
    expect(board.done(update(1, { title: 'New' }, admin))).toMatchObject({ userId: 7 });
    expect(board.refusal(update(2, { title: 'New' }))).toBe('POST_NOT_FOUND');
  });
});

describe('deleting', () => {
  it('removes the post from its tags, and is published', () => {
    const board = boardWithPost();
    expect(board.decide(remove(1))).toEqual({
      kind: 'done',
      created: false,
      result: null,
      events: [{ type: 'posts.post.deleted', aggregateId: 'post:1', data: { postId: 1 } }],
    });
    expect(board.state.pending()).toMatchObject({
      deleted: [{ id: 1 }],
      lost: [{ tagIds: [1, 2] }],
      gained: [],
    });
    expect(board.refusal(remove(1))).toBe('POST_NOT_FOUND');
    expect(board.refusal(update(1, { title: 'New' }))).toBe('POST_NOT_FOUND');
  });

  it('is for the author and for administrators', () => {
    expect(boardWithPost().refusal(remove(1, user(8)))).toBe('FORBIDDEN');
    expect(boardWithPost().done(remove(1, admin))).toBeNull();
  });

  it('of a post made in the same batch writes neither', () => {
    const board = new Board();
    board.done(create(['new']));
    board.done(remove(100));
    expect(board.state.pending()).toMatchObject({
      inserted: [],
      deleted: [],
      gained: [],
      lost: [],
      tags: [{ id: 100 }],
    });
  });
});

describe('merging', () => {
  it('gives the target the posts that it did not have', () => {
    const board = boardWithPost();
    board.state.loadMoved(4);
    expect(board.decide(merge('JAVA', 'Spring'))).toEqual({
      ...{ kind: 'done', created: false, result: { tagId: 3, name: 'spring', postCount: 6 } },
      events: [
        {
          type: 'posts.tag.merged',
          aggregateId: 'tag:1',
          data: {
            tagId: 1,
            name: 'Java',
            postCount: 5,
            into: { tagId: 3, name: 'spring', postCount: 6 },
          },
        },
      ],
    });
    expect(board.state.pending().merges).toEqual([{ sourceId: 1, targetId: 3, movedPosts: 4 }]);
  });

  it('of two names of one tag changes nothing', () => {
    const board = boardWithPost();
    for (const [name, into] of [
      ['boot', 'spring'],
      ['spring', 'boot'],
      ['java', 'JAVA'],
    ] as const)
      expect(board.decide(merge(name, into))).toMatchObject({ kind: 'done', events: [] });
    expect(board.state.pending().merges).toEqual([]);
  });

  it('needs both tags', () => {
    const board = boardWithPost();
    expect([board.refusal(merge('none', 'java')), board.refusal(merge('java', 'none'))]).toEqual([
      'TAG_NOT_FOUND',
      'TAG_NOT_FOUND',
    ]);
  });
});

describe('renaming', () => {
  it('keeps the tag and its posts, and makes the former name lead to it', () => {
    const board = boardWithPost();
    expect(board.decide(rename('JAVA', 'Kotlin'))).toEqual({
      ...{ kind: 'done', created: false, result: { tagId: 1, name: 'Kotlin', postCount: 5 } },
      events: [
        {
          type: 'posts.tag.renamed',
          aggregateId: 'tag:1',
          data: { tagId: 1, name: 'Kotlin', postCount: 5, formerName: 'Java' },
        },
      ],
    });
    expect(board.state.pending().renames).toMatchObject([
      { tag: { id: 1 }, name: 'Kotlin', formerId: 100 },
    ]);
  });

  it('to another spelling needs no former name, and to the same one changes nothing', () => {
    const board = boardWithPost();
    board.done(rename('java', 'JAVA'));
    expect(board.state.pending().renames).toMatchObject([{ name: 'JAVA', formerId: null }]);
    expect(boardWithPost().decide(rename('java', 'Java'))).toMatchObject({ events: [] });
  });

  it('to a name that leads to another tag is refused, and to one that leads to itself is not', () => {
    const board = boardWithPost();
    expect(board.decide(rename('java', 'BOOT'))).toMatchObject({
      refusal: { code: 'TAG_TAKEN', ids: { tagId: 3 } },
    });
    expect(board.done(rename('spring', 'Boot'))).toMatchObject({ tagId: 3, name: 'Boot' });
  });

  it('needs the tag', () => {
    expect(boardWithPost().refusal(rename('none', 'other'))).toBe('TAG_NOT_FOUND');
  });

  it('makes posts that are written with a former name show the name', () => {
    const board = boardWithPost();
    const tag = { id: 3, name: 'spring', postCount: 2 };
    board.state.loadTags([{ ...tag, folded: 'summer', isFormer: true }]);
    expect(board.done(create(['Summer', 'Spring', 'java'])).tags).toEqual(['spring', 'java']);
    expect(board.state.pending().gained).toMatchObject([{ tagIds: [3, 1] }]);
  });
});

describe('deleting a tag', () => {
  it('is published with the former tag', () => {
    const board = boardWithPost();
    expect(board.decide(removeTag('BOOT'))).toEqual({
      ...{ kind: 'done', created: false, result: null },
      events: [
        {
          type: 'posts.tag.deleted',
          aggregateId: 'tag:3',
          data: { tagId: 3, name: 'spring', postCount: 2 },
        },
      ],
    });
    expect(board.state.pending().deletedTags).toMatchObject([{ id: 3 }]);
  });

  it('needs the tag', () => {
    expect(boardWithPost().refusal(removeTag('none'))).toBe('TAG_NOT_FOUND');
  });
});
