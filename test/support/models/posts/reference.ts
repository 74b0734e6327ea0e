import type { PostsCommand, PostText } from '../../../../shared/posts/commands';
import { doneBy, refused, type Verdict } from '../verdict';

/**
 * The rules of posts and tags a second time, as naively as they can be written: which tags a post
 * has is found out anew for every question.
 */

export interface ReferencePost extends PostText {
  readonly id: number;
  readonly userId: number;
  readonly createdAt: Date;
  /** The tags that its spellings meant when they were written. */
  readonly carried: readonly ReferenceTag[];
}

interface ReferenceTag {
  readonly id: number;
  /** The first spelling, or the one of the last rename. */
  name: string;
  mergedInto: ReferenceTag | null;
  /** Whether a rename made it of a former name. */
  readonly isFormer?: true;
}

/** The next id of each kind. */
export interface NextIds {
  post: number;
  tag: number;
}

type CommandOfType<Type extends PostsCommand['type']> = Extract<PostsCommand, { type: Type }>;

const done = doneBy('posts');

export class Reference {
  posts: ReferencePost[] = [];
  tags: ReferenceTag[] = [];

  /** `spellings`: lists of those that mean the same tag. */
  constructor(
    private readonly spellings: readonly (readonly string[])[],
    private readonly next: NextIds = { post: 1, tag: 1 },
  ) {}

  decide(command: PostsCommand, now: Date): Verdict {
    switch (command.type) {
      case 'posts.create-post':
        return this.create(command, now);
      case 'posts.update-post':
        return this.update(command);
      case 'posts.delete-post':
        return this.remove(command);
      case 'posts.merge-tag':
        return this.merge(command);
      case 'posts.rename-tag':
        return this.rename(command);
      case 'posts.delete-tag':
        return this.removeTag(command);
    }
  }

  /** Returns the tag that a tag leads to. */
  end(tag: ReferenceTag): ReferenceTag {
    return tag.mergedInto ? this.end(tag.mergedInto) : tag;
  }

  /** Returns the tags under which a post is found, in the order of their ids. */
  found({ carried }: ReferencePost): number[] {
    const ids = carried.map((tag) => this.end(tag).id);
    return [...new Set(ids)].sort((a, b) => a - b);
  }

  /** Returns the tags that a post shows, in the spellings in which it does. */
  spelled(post: ReferencePost): string[] {
    const found = this.found(post);
    return this.distinct(
      post.tags.flatMap((spelling) => {
        const tag = this.tagOf(spelling);
        return tag && found.includes(this.end(tag).id) ? [this.asShown(spelling)] : [];
      }),
    );
  }

  postCount(tagId: number): number {
    return this.posts.filter((post) => this.found(post).includes(tagId)).length;
  }

  private meaning(spelling: string): number {
    return this.spellings.findIndex((list) => list.includes(spelling));
  }

  private tagOf(spelling: string): ReferenceTag | undefined {
    return this.tags.find(({ name }) => this.meaning(name) === this.meaning(spelling));
  }

  private asShown(spelling: string): string {
    const tag = this.tagOf(spelling);
    return tag?.isFormer ? this.end(tag).name : spelling;
  }

  /** Returns the spellings without later ones of the same meaning. */
  private distinct(spellings: readonly string[]): string[] {
    return spellings.filter(
      (spelling, index) =>
        spellings.findIndex((other) => this.meaning(other) === this.meaning(spelling)) === index,
    );
  }

  /**
   * Returns what a post is given by the spellings of its author; a tag that does not exist comes to
   * be.
   */
  private written(spellings: readonly string[]): Pick<ReferencePost, 'tags' | 'carried'> {
    const kept = this.distinct(spellings);
    for (const name of kept)
      if (!this.tagOf(name)) this.tags.push({ id: this.next.tag++, name, mergedInto: null });
    return {
      tags: this.distinct(kept.map((spelling) => this.asShown(spelling))),
      carried: kept.map((spelling) => this.tagOf(spelling) as ReferenceTag),
    };
  }

  private shown(post: ReferencePost) {
    const { id, title, content, createdAt, userId } = post;
    return {
      postId: id,
      title,
      tags: this.spelled(post),
      content,
      createdAt: createdAt.toISOString().slice(0, 10),
      userId,
    };
  }

  private create(
    { payload: { title, content, tags, userId } }: CommandOfType<'posts.create-post'>,
    now: Date,
  ): Verdict {
    const post = {
      id: this.next.post++,
      userId,
      title,
      content,
      ...this.written(tags),
      createdAt: now,
    };
    this.posts.push(post);
    return done(this.shown(post), ['post.created'], true);
  }

  /** Returns what stands in the way of a change. */
  private refusal({
    actor,
    payload,
  }: CommandOfType<'posts.update-post'> | CommandOfType<'posts.delete-post'>): Verdict | undefined {
    const post = this.posts.find(({ id }) => id === payload.postId);
    if (!post) return refused('POST_NOT_FOUND');
    return actor.isAdmin || actor.userId === post.userId ? undefined : refused('FORBIDDEN');
  }

  private update(command: CommandOfType<'posts.update-post'>): Verdict {
    const refusal = this.refusal(command);
    if (refusal) return refusal;
    const { postId, changes } = command.payload;
    const before = this.posts.find(({ id }) => id === postId) as ReferencePost;
    const after = {
      ...before,
      ...changes,
      ...(changes.tags ? this.written(changes.tags) : { tags: this.spelled(before) }),
    };
    const same = JSON.stringify(this.shown(before)) === JSON.stringify(this.shown(after));
    if (!same) this.posts = this.posts.map((post) => (post === before ? after : post));
    return done(this.shown(after), same ? [] : ['post.updated']);
  }

  private remove(command: CommandOfType<'posts.delete-post'>): Verdict {
    const refusal = this.refusal(command);
    if (refusal) return refusal;
    this.posts = this.posts.filter(({ id }) => id !== command.payload.postId);
    return done(null, ['post.deleted']);
  }

  private rename({ payload: { name, to } }: CommandOfType<'posts.rename-tag'>): Verdict {
    const [named, taken] = [this.tagOf(name), this.tagOf(to)];
    if (!named) return refused('TAG_NOT_FOUND');
    const tag = this.end(named);
    if (taken && this.end(taken) !== tag)
      return refused('TAG_TAKEN', { tagId: this.end(taken).id });
    const result = { tagId: tag.id, name: to, postCount: this.postCount(tag.id) };
    if (tag.name === to) return done(result, []);
    const former = tag.name;
    if (this.meaning(former) !== this.meaning(to)) {
      this.tags = this.tags.filter((other) => other !== taken);
      this.posts = this.posts.map((post) => ({
        ...post,
        carried: post.carried.map((other) => (other === taken ? tag : other)),
      }));
      this.tags.push({ id: this.next.tag++, name: former, mergedInto: tag, isFormer: true });
    }
    tag.name = to;
    return done(result, ['tag.renamed']);
  }

  private removeTag({ payload: { name } }: CommandOfType<'posts.delete-tag'>): Verdict {
    const named = this.tagOf(name);
    if (!named) return refused('TAG_NOT_FOUND');
    const tag = this.end(named);
    const stays = (other: ReferenceTag) => this.end(other) !== tag;
    this.tags = this.tags.filter(stays);
    this.posts = this.posts.map((post) => ({ ...post, carried: post.carried.filter(stays) }));
    return done(null, ['tag.deleted']);
  }

  private merge({ payload: { name, into } }: CommandOfType<'posts.merge-tag'>): Verdict {
    const [from, to] = [this.tagOf(name), this.tagOf(into)];
    if (!from || !to) return refused('TAG_NOT_FOUND');
    const [source, target] = [this.end(from), this.end(to)];
    if (source !== target) source.mergedInto = target;
    return done(
      { tagId: target.id, name: target.name, postCount: this.postCount(target.id) },
      source === target ? [] : ['tag.merged'],
    );
  }
}
