import type { PostsCommand, PostText } from '../../../shared/posts/commands';
import { doneBy, refused, type Verdict } from '../verdict';

/**
 * The rules of posts and tags a second time, as naively as they can be written: which tags a post
 * has is found out anew for every question.
 */

export interface ReferencePost extends PostText {
  readonly id: number;
  readonly userId: number;
  readonly createdAt: Date;
}

interface ReferenceTag {
  readonly id: number;
  /** The spelling that came first. */
  readonly name: string;
  mergedInto: ReferenceTag | null;
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
  readonly tags: ReferenceTag[] = [];

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
    }
  }

  /** The tag that a tag leads to. */
  end(tag: ReferenceTag): ReferenceTag {
    return tag.mergedInto ? this.end(tag.mergedInto) : tag;
  }

  /** The tags under which a post is found, in the order of their ids. */
  found({ tags }: ReferencePost): number[] {
    const ids = tags
      .flatMap((spelling) => this.tagOf(spelling) ?? [])
      .map((tag) => this.end(tag).id);
    return [...new Set(ids)].sort((a, b) => a - b);
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

  /** The spellings without later ones of the same tag; a tag that does not exist comes to be. */
  private written(spellings: readonly string[]): string[] {
    const kept = spellings.filter(
      (spelling, index) =>
        spellings.findIndex((other) => this.meaning(other) === this.meaning(spelling)) === index,
    );
    for (const name of kept)
      if (!this.tagOf(name)) this.tags.push({ id: this.next.tag++, name, mergedInto: null });
    return kept;
  }

  private shown({ id, title, content, tags, createdAt, userId }: ReferencePost) {
    return {
      postId: id,
      title,
      tags,
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
      tags: this.written(tags),
      createdAt: now,
    };
    this.posts.push(post);
    return done(this.shown(post), ['post.created'], true);
  }

  /** What stands in the way of a change. */
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
      ...(changes.tags && { tags: this.written(changes.tags) }),
    };
    this.posts = this.posts.map((post) => (post === before ? after : post));
    const same = JSON.stringify(this.shown(before)) === JSON.stringify(this.shown(after));
    return done(this.shown(after), same ? [] : ['post.updated']);
  }

  private remove(command: CommandOfType<'posts.delete-post'>): Verdict {
    const refusal = this.refusal(command);
    if (refusal) return refusal;
    this.posts = this.posts.filter(({ id }) => id !== command.payload.postId);
    return done(null, ['post.deleted']);
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
