import { EventCounts } from '../batch/service/event-counts';
import { TrackedRows } from '../batch/service/tracked-rows';
import { foldedTag } from '../../shared/posts/tag';
import type { PostRow } from '../../shared/posts/views';

/**
 * A post and the tags that it is found by: those of its spellings, or what these were merged into.
 */
export interface Post extends PostRow {
  readonly tagIds: readonly number[];
}

export interface Tag {
  readonly id: number;
  readonly name: string;
  readonly postCount: number;
}

/** A tag's posts become those of another. */
export interface Merge {
  readonly sourceId: number;
  readonly targetId: number;
  /** How many posts the target gets that it did not have. */
  readonly movedPosts: number;
}

/** A tag gets another name. */
export interface Rename {
  readonly tag: Tag;
  readonly name: string;
  /** The id of the former name, which leads to the tag; null when only the spelling changed. */
  readonly formerId: number | null;
}

/** Rows that a decision makes, replaces or removes. */
export interface PostsChanges {
  readonly posts?: readonly Post[];
  readonly deleted?: readonly Post[];
  /** Tags that did not exist. */
  readonly tags?: readonly Tag[];
  readonly merges?: readonly Merge[];
  readonly renames?: readonly Rename[];
  readonly deletedTags?: readonly Tag[];
}

/** What a decision may look at. */
export interface PostsView {
  post(id: number): Post | undefined;
  /** Returns the tag of a spelling, or the one that it leads to. */
  tag(name: string): Tag | undefined;
  /** Returns how posts display a spelling: the name of the tag when the tag was renamed from it. */
  shown(name: string): string;
  /** Returns how many posts a merge of the one tag into the other moves; loaded for merges only. */
  movedPosts(name: string, into: string): number;
}

/** A post's tags that come and go with the batch. */
export interface LinkChange {
  readonly post: Post;
  readonly tagIds: readonly number[];
}

const without = (ids: readonly number[], others: readonly number[] = []): number[] =>
  ids.filter((id) => !others.includes(id));

/**
 * Posts and tags of one batch in memory: loaded rows, changed by one decision after the other. Each
 * row is written once, in its last form; of the tags that a post has, only the difference to what
 * is stored.
 */
export class PostsState implements PostsView {
  readonly events = new EventCounts();
  /** Words whose endings are stored, by their names. */
  readonly knownWords = new Set<string>();
  /** Stored posts that are found by their words. */
  private readonly found = new Set<number>();
  private readonly posts = new TrackedRows<Post>();
  private readonly tags = new Map<string, Tag>();
  private readonly formerNames = new Set<string>();
  private readonly newTags: Tag[] = [];
  private readonly merges: Merge[] = [];
  private readonly renames: Rename[] = [];
  private readonly deletedTags: Tag[] = [];
  private moved = 0;

  loadPosts(posts: readonly Post[]): void {
    for (const post of posts) this.posts.load(post);
  }

  /** Notes that a post is found by its words: one that an older release wrote is not. */
  loadFound(id: number): void {
    this.found.add(id);
  }

  isFound(id: number): boolean {
    return this.found.has(id);
  }

  /** Returns a post as it is stored. */
  storedPost(id: number): Post | undefined {
    return this.posts.stored(id);
  }

  /** `folded`: the spelling under which a tag was asked for, folded. */
  loadTags(
    tags: readonly (Tag & { readonly folded: string; readonly isFormer?: boolean })[],
  ): void {
    for (const { folded, isFormer = false, ...tag } of tags) {
      this.tags.set(folded, tag);
      if (isFormer) this.formerNames.add(folded);
    }
  }

  loadMoved(posts: number): void {
    this.moved = posts;
  }

  evolve(changes: PostsChanges): void {
    const { posts = [], deleted = [], tags = [], merges = [] } = changes;
    for (const tag of tags) {
      this.tags.set(foldedTag(tag.name), tag);
      this.newTags.push(tag);
    }
    for (const post of posts) this.posts.put(post);
    for (const { id } of deleted) this.posts.remove(id);
    this.merges.push(...merges);
    this.renames.push(...(changes.renames ?? []));
    this.deletedTags.push(...(changes.deletedTags ?? []));
  }

  post(id: number): Post | undefined {
    return this.posts.get(id);
  }

  tag(name: string): Tag | undefined {
    return this.tags.get(foldedTag(name));
  }

  shown(name: string): string {
    const folded = foldedTag(name);
    return (this.formerNames.has(folded) && this.tags.get(folded)?.name) || name;
  }

  movedPosts(): number {
    return this.moved;
  }

  /** Rows to write. */
  pending() {
    const inserted: Post[] = [];
    const updated: Post[] = [];
    const deleted: Post[] = [];
    const gained: LinkChange[] = [];
    const lost: LinkChange[] = [];
    for (const id of this.posts.changedIds()) {
      const [before, after] = [this.posts.stored(id), this.posts.get(id)];
      if (after) (before ? updated : inserted).push(after);
      else if (before) deleted.push(before);
      if (after) gained.push({ post: after, tagIds: without(after.tagIds, before?.tagIds) });
      if (before) lost.push({ post: before, tagIds: without(before.tagIds, after?.tagIds) });
    }
    const some = ({ tagIds }: LinkChange) => tagIds.length > 0;
    return {
      inserted,
      updated,
      deleted,
      gained: gained.filter(some),
      lost: lost.filter(some),
      tags: this.newTags,
      merges: this.merges,
      renames: this.renames,
      deletedTags: this.deletedTags,
    };
  }
}
