import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { PostsCommand } from '../../../shared/posts/commands';
import { shownTags } from '../../../shared/posts/shown-tags';
import { foldedTag } from '../../../shared/posts/tag';
import type { Post } from '../../../workers/posts/state';
import { allEnds, endOf, verdictOf, type Verdict } from '../../support/models/verdict';
import { Board, NOW } from '../../support/models/posts/board';
import { Reference } from '../../support/models/posts/reference';
import { postCommand, postStep, type World } from '../../support/models/posts/steps';
import { amount } from '../../support/run/amount';

/**
 * Random commands in random batches against the reference. After each batch the writes are put into
 * simple tables, from which the next batch is loaded: links and counts must be what the posts say.
 */

const SEQUENCES = amount(400, 2000);
const WORLD: World = {
  users: [7, 8],
  spellings: [['java', 'JAVA', 'Java'], ['c++', 'C++'], ['straße', 'STRASSE'], ['é', 'É'], ['e']],
};

type Pending = ReturnType<Board['state']['pending']>;

interface TagRow {
  readonly id: number;
  name: string;
  postCount: number;
  mergedInto: number | null;
  readonly isFormer: boolean;
}

/** Commands that make a batch of their own, as the service sees to. */
const ALONE: ReadonlySet<string> = new Set([
  'posts.merge-tag',
  'posts.rename-tag',
  'posts.delete-tag',
]);

/** The tables, as the statements of a batch leave them. */
class Tables {
  readonly posts = new Map<number, Post>();
  readonly tags = new Map<number, TagRow>();
  readonly links = new Set<string>();

  write({ inserted, updated, deleted, gained, lost, tags, ...changed }: Pending): void {
    for (const { id, name } of tags) {
      assert(
        ![...this.tags.values()].some((tag) => foldedTag(tag.name) === foldedTag(name)),
        'a tag made twice',
      );
      this.tags.set(id, { id, name, postCount: 0, mergedInto: null, isFormer: false });
    }
    for (const { post, tagIds } of lost) for (const id of tagIds) this.unlink(post.id, id);
    for (const { post, tagIds } of gained) for (const id of tagIds) this.link(post.id, id);
    for (const post of [...inserted, ...updated]) this.posts.set(post.id, post);
    for (const { id } of deleted) this.posts.delete(id);
    for (const { sourceId, targetId, movedPosts } of changed.merges)
      this.merge(sourceId, targetId, movedPosts);
    for (const rename of changed.renames) this.rename(rename);
    for (const { id } of changed.deletedTags) this.removeTag(id);
  }

  /** A post as it is loaded and shown: with its spellings of the tags that it carries. */
  shown(post: Post): Post {
    const tagIds = this.tagIdsOf(post.id);
    const names = [...this.tags.values()].flatMap((tag): [string, string | null][] => {
      const end = this.end(tag);
      return tagIds.includes(end.id) ? [[foldedTag(tag.name), tag.isFormer ? end.name : null]] : [];
    });
    return { ...post, tags: shownTags(post.tags, new Map(names)), tagIds };
  }

  postsOf(tagId: number): number[] {
    return [...this.links]
      .map((link) => link.split(' ').map(Number))
      .flatMap(([post = 0, tag]) => (tag === tagId ? [post] : []));
  }

  tagIdsOf(postId: number): number[] {
    return [...this.tags.keys()]
      .filter((tagId) => this.links.has(`${postId} ${tagId}`))
      .sort((a, b) => a - b);
  }

  /** A new batch, with everything loaded that `command` may need. */
  board(ids: { post: number; tag: number }, command?: PostsCommand): Board {
    const board = new Board(ids);
    board.state.loadTags(
      [...this.tags.values()].map((tag) => ({
        ...this.end(tag),
        folded: foldedTag(tag.name),
        isFormer: tag.isFormer,
      })),
    );
    board.state.loadPosts([...this.posts.values()].map((post) => this.shown(post)));
    if (command?.type === 'posts.merge-tag') {
      const [source, target] = [
        board.state.tag(command.payload.name),
        board.state.tag(command.payload.into),
      ];
      if (source && target)
        board.state.loadMoved(
          this.postsOf(source.id).filter((post) => !this.links.has(`${post} ${target.id}`)).length,
        );
    }
    return board;
  }

  private end(tag: TagRow): TagRow {
    return this.tags.get(tag.mergedInto ?? tag.id) ?? tag;
  }

  private rename({ tag: { id }, name, formerId }: Pending['renames'][number]): void {
    const tag = this.tags.get(id) as TagRow;
    if (formerId !== null) {
      for (const other of this.tags.values())
        if (other.mergedInto === id && foldedTag(other.name) === foldedTag(name))
          this.tags.delete(other.id);
      const former = { id: formerId, name: tag.name, postCount: 0, mergedInto: id, isFormer: true };
      this.tags.set(formerId, former);
    }
    tag.name = name;
  }

  private removeTag(id: number): void {
    for (const post of this.postsOf(id)) this.unlink(post, id);
    for (const other of this.tags.values())
      if (other.id === id || other.mergedInto === id) this.tags.delete(other.id);
  }

  private merge(sourceId: number, targetId: number, movedPosts: number): void {
    for (const tag of this.tags.values())
      if (tag.mergedInto === sourceId) tag.mergedInto = targetId;
    const [source, target] = [this.tags.get(sourceId), this.tags.get(targetId)] as [TagRow, TagRow];
    const moved = this.postsOf(sourceId);
    const missing = moved.filter((post) => !this.links.has(`${post} ${targetId}`));
    assert.equal(movedPosts, missing.length);
    for (const post of moved) this.unlink(post, sourceId);
    for (const post of missing) this.link(post, targetId);
    source.mergedInto = target.id;
  }

  private link(post: number, tag: number): void {
    assert(!this.links.has(`${post} ${tag}`), 'a link made twice');
    this.links.add(`${post} ${tag}`);
    (this.tags.get(tag) as TagRow).postCount += 1;
  }

  private unlink(post: number, tag: number): void {
    assert(this.links.delete(`${post} ${tag}`), 'a link removed twice');
    (this.tags.get(tag) as TagRow).postCount -= 1;
  }
}

/**
 * A batch that is under way, and the tables.
 */
class System {
  readonly tables = new Tables();
  private board = new Board({ post: 1, tag: 1 });

  carryOut(command: PostsCommand): Verdict {
    const alone = ALONE.has(command.type);
    if (alone) this.endBatch(command);
    const verdict = verdictOf(this.board.decide(command));
    if (alone) this.endBatch();
    return verdict;
  }

  endBatch(next?: PostsCommand): void {
    this.tables.write(this.board.state.pending());
    this.board = this.tables.board(this.board.nextIds(), next);
  }
}

function assertTables(tables: Tables, reference: Reference): void {
  const posts = [...tables.posts.values()].map((post) => tables.shown(post));
  const expected = reference.posts.map(({ carried, ...post }) => ({
    ...post,
    tags: reference.spelled({ carried, ...post }),
    tagIds: reference.found({ carried, ...post }),
  }));
  assert.deepStrictEqual(posts, expected);
  const tags = reference.tags.map((tag) => ({
    id: tag.id,
    name: tag.name,
    postCount: reference.postCount(tag.id),
    mergedInto: tag.mergedInto && reference.end(tag).id,
    isFormer: tag.isFormer ?? false,
  }));
  assert.deepStrictEqual([...tables.tags.values()], tags);
}

describe('posts against the reference', () => {
  it(`decides ${SEQUENCES} random sequences of commands like the reference, and leaves the right rows however they fall into batches`, () => {
    const ends = new Set<string>();
    fc.assert(
      fc.property(
        fc.array(fc.record({ step: postStep, endBatch: fc.nat(4) }), {
          minLength: 1,
          maxLength: 40,
          size: 'max',
        }),
        (steps) => {
          const system = new System();
          const reference = new Reference(WORLD.spellings);
          for (const { step, endBatch } of steps) {
            const command = postCommand(step, WORLD, reference);
            const expected = reference.decide(command, NOW);
            const verdict = system.carryOut(command);
            assert.deepStrictEqual(verdict, expected);
            ends.add(endOf(command.type, verdict));
            if (endBatch > 0) continue;
            system.endBatch();
            assertTables(system.tables, reference);
          }
          system.endBatch();
          assertTables(system.tables, reference);
        },
      ),
      { numRuns: SEQUENCES },
    );
    // The sequences are worth something only when they come by every rule.
    expect([...ends].sort()).toEqual(allEnds(ENDS));
  }, 60_000);
});

/** Each way in which a command can end. */
const ENDS: Record<PostsCommand['type'], readonly string[]> = {
  'posts.create-post': ['done'],
  'posts.update-post': ['FORBIDDEN', 'POST_NOT_FOUND', 'done'],
  'posts.delete-post': ['FORBIDDEN', 'POST_NOT_FOUND', 'done'],
  'posts.merge-tag': ['TAG_NOT_FOUND', 'done'],
  'posts.rename-tag': ['TAG_NOT_FOUND', 'TAG_TAKEN', 'done'],
  'posts.delete-tag': ['TAG_NOT_FOUND', 'done'],
};
