import type { Actor } from '../../../../shared/command';
import type { PostsCommand, PostsCommands } from '../../../../shared/posts/commands';
import type { Decision } from '../../../../workers/batch/service/decision';
import type { IdKind } from '../../../../workers/batch/service/needs';
import { decidePosts } from '../../../../workers/posts/decide';
import { PostsState } from '../../../../workers/posts/state';
import { randomDigits } from '../random-digits';

/** Commands as the API makes them, and a state to decide them on. */

/** The instant of every decision. */
export const NOW = new Date('2024-02-28T23:59:59.999Z');
export const user = (userId: number): Actor => ({
  userId,
  username: `user-${userId}`,
  role: 'user',
  isAdmin: false,
});
export const admin: Actor = { userId: 1, username: 'admin', role: 'user', isAdmin: true };
const NOBODY: Actor = { userId: null, username: null, role: 'user', isAdmin: false };

function command<Type extends keyof PostsCommands>(
  type: Type,
  payload: PostsCommands[Type],
  actor: Actor,
): PostsCommand {
  const now = Date.now();
  const address = {
    requestId: 'request',
    createdAt: now,
    replyTo: 'replies.test',
    replyBy: now + 60_000,
    traceparent: null,
  };
  return {
    commandId: randomDigits(40),
    type,
    key: 'post:test',
    actor,
    payload,
    ...address,
  } as PostsCommand;
}

export const create = (tags: readonly string[] = [], userId = 7) =>
  command('posts.create-post', { title: 'Title', content: 'Content', tags, userId }, NOBODY);
export const update = (
  postId: number,
  changes: PostsCommands['posts.update-post']['changes'],
  actor: Actor = user(7),
) => command('posts.update-post', { postId, changes }, actor);
export const remove = (postId: number, actor: Actor = user(7)) =>
  command('posts.delete-post', { postId }, actor);
export const merge = (name: string, into: string) =>
  command('posts.merge-tag', { name, into }, admin);
export const rename = (name: string, to: string) =>
  command('posts.rename-tag', { name, to }, admin);
export const removeTag = (name: string) => command('posts.delete-tag', { name }, admin);

export class Board {
  readonly state = new PostsState();
  private readonly next: Map<IdKind, number>;

  /** `ids`: the first of each kind that is handed out. */
  constructor(ids = { post: 100, tag: 100 }) {
    this.next = new Map(Object.entries(ids));
  }

  nextIds(): { post: number; tag: number } {
    return { post: this.next.get('post') ?? 0, tag: this.next.get('tag') ?? 0 };
  }

  decide(given: PostsCommand): Decision {
    const { decision, changes } = decidePosts(this.state, given, {
      now: NOW,
      takeId: (kind) => this.takeId(kind),
    });
    this.state.evolve(changes);
    return decision;
  }

  /** Decides a command that must succeed, and returns what the client gets. */
  done(given: PostsCommand): Record<string, unknown> {
    const decision = this.decide(given);
    if (decision.kind !== 'done')
      throw new Error(`${given.type} came to ${JSON.stringify(decision)}`);
    return decision.result as Record<string, unknown>;
  }

  refusal(given: PostsCommand): string {
    const decision = this.decide(given);
    return decision.kind === 'refused' ? decision.refusal.code : `not refused but ${decision.kind}`;
  }

  private takeId(kind: IdKind): number {
    const id = this.next.get(kind) ?? NaN;
    this.next.set(kind, id + 1);
    return id;
  }
}

/**
 * Post 1 of user 7, with the tags Java (1) and c++ (2); tag 3 is "spring", and "boot" was merged
 * into it.
 */
export function boardWithPost(): Board {
  const board = new Board();
  const [java, plus, spring] = [
    { id: 1, name: 'Java', postCount: 5 },
    { id: 2, name: 'c++', postCount: 1 },
    { id: 3, name: 'spring', postCount: 2 },
  ] as const;
  board.state.loadTags([
    { ...java, folded: 'java' },
    { ...plus, folded: 'c++' },
    { ...spring, folded: 'spring' },
    { ...spring, folded: 'boot' },
  ]);
  board.state.loadPosts([
    {
      id: 1,
      userId: 7,
      title: 'Title',
      content: 'Content',
      tags: ['JAVA', 'c++'],
      createdAt: new Date('2024-01-01T00:00:00Z'),
      tagIds: [1, 2],
    },
  ]);
  return board;
}
