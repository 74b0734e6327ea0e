import assert from 'node:assert/strict';
import fc from 'fast-check';
import { distinctTags, foldedTag } from '../../../shared/posts/tag';
import { Board, create, remove, update, user } from './board';

/**
 * Random commands in random batches against a model that knows only what each post shows. After each batch the writes are
 * put into simple tables, from which the next batch is loaded: links and counts must be what the posts say.
 */

const SEQUENCES = 1000;
const SPELLINGS = ['java', 'JAVA', 'c++', 'C++', 'straße', 'STRASSE', 'é', 'e'];

const tags = fc.array(fc.constantFrom(...SPELLINGS), { maxLength: 5 });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('create' as const), tags }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('update' as const), post: fc.nat(9), tags, by: fc.constantFrom(7, 7, 7, 8) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), post: fc.nat(9) }) },
);
const batches = fc.array(fc.array(step, { maxLength: 8 }), { minLength: 1, maxLength: 8 });

type Pending = ReturnType<Board['state']['pending']>;

/** The tables, as the statements of a batch leave them. */
class Tables {
  readonly posts = new Map<number, { readonly tags: readonly string[] }>();
  readonly tags = new Map<string, { readonly id: number; readonly name: string }>();
  readonly counts = new Map<number, number>();
  readonly links = new Set<string>();

  write({ inserted, updated, deleted, gained, lost, tags: made }: Pending): void {
    for (const tag of made) {
      assert(!this.tags.has(foldedTag(tag.name)), 'a tag made twice');
      this.tags.set(foldedTag(tag.name), tag);
    }
    for (const { post, tagIds } of lost) for (const id of tagIds) this.count(id, -1, this.links.delete(`${post.id} ${id}`));
    for (const { post, tagIds } of gained) for (const id of tagIds) this.count(id, 1, !this.links.has(`${post.id} ${id}`) && Boolean(this.links.add(`${post.id} ${id}`)));
    for (const post of [...inserted, ...updated]) this.posts.set(post.id, post);
    for (const { id } of deleted) this.posts.delete(id);
  }

  /** A new batch, with everything loaded. */
  load(board: Board): void {
    board.state.loadTags([...this.tags].map(([folded, tag]) => ({ ...tag, folded, postCount: this.counts.get(tag.id) ?? 0 })));
    const linked = (post: number) => [...this.links].filter((link) => link.startsWith(`${post} `)).map((link) => Number(link.split(' ')[1]));
    const fixed = { userId: 7, title: 'Title', content: 'Content', createdAt: new Date(0) };
    board.state.loadPosts([...this.posts].map(([id, post]) => ({ id, ...fixed, tags: post.tags, tagIds: linked(id) })));
  }

  private count(tag: number, by: number, happened: boolean): void {
    assert(happened, 'a link that is made or removed twice');
    this.counts.set(tag, (this.counts.get(tag) ?? 0) + by);
  }
}

it(`${SEQUENCES} random sequences of batches leave each post under its tags, and each tag with the number of its posts`, () => {
  fc.assert(
    fc.property(batches, (sequence) => {
      const tables = new Tables();
      const model = new Map<number, string[]>();
      let ids = { post: 1, tag: 1 };
      for (const batch of sequence) {
        const board = new Board(ids);
        tables.load(board);
        for (const given of batch) {
          const known = [...model.keys()];
          const postId = 'post' in given ? (known[given.post % Math.max(known.length, 1)] ?? 2 ** 40) : 0;
          if (given.kind === 'create') model.set(board.done(create(given.tags))['postId'] as number, distinctTags(given.tags));
          else if (!model.has(postId)) assert.equal(board.refusal(remove(postId)), 'POST_NOT_FOUND');
          else if (given.kind === 'delete') {
            board.done(remove(postId));
            model.delete(postId);
          } else if (given.by !== 7) assert.equal(board.refusal(update(postId, { tags: given.tags }, user(given.by))), 'FORBIDDEN');
          else {
            model.set(postId, distinctTags(given.tags));
            assert.deepEqual(board.done(update(postId, { tags: given.tags }))['tags'], model.get(postId));
          }
        }
        tables.write(board.state.pending());
        ids = board.nextIds();
      }
      assert.deepEqual(new Map([...tables.posts].map(([id, post]) => [id, post.tags])), model);
      const linksOf = [...model].flatMap(([id, list]) => list.map((tag) => `${id} ${tables.tags.get(foldedTag(tag))?.id}`));
      assert.deepEqual([...tables.links].sort(), linksOf.sort());
      for (const { id } of tables.tags.values()) assert.equal(tables.counts.get(id) ?? 0, linksOf.filter((link) => link.endsWith(` ${id}`)).length);
    }),
    { numRuns: SEQUENCES },
  );
});
