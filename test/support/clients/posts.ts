import type { Response } from 'supertest';
import { succeeded, uniqueWord } from './books';
import { Service, type Call } from './requests';
import { target, type Target } from '../service/target';

/** What contract tests of post tagging do again and again. */

export interface Post {
  readonly postId: number;
  readonly title: string;
  readonly tags: string[];
  readonly content: string;
  readonly createdAt: string;
  readonly userId: number;
}

export interface Tag {
  readonly tagId: number;
  readonly name: string;
  readonly postCount: number;
}

/** A tag service, seen from outside. Methods in the past tense fail unless the call succeeds. */
export class Board extends Service {
  /** Returns a body with everything in it that a post must have. */
  draft(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
    return {
      title: `Title ${uniqueWord()}`,
      content: 'Some content',
      tags: [],
      userId: this.target.newUserId(),
      ...fields,
    };
  }

  async post(
    fields: Readonly<Record<string, unknown>> = {},
    call: Omit<Call, 'body'> = {},
  ): Promise<Response> {
    return this.call('post', '/posts', { ...call, body: this.draft(fields) });
  }

  async posted(fields: Readonly<Record<string, unknown>> = {}): Promise<Post> {
    return succeeded(await this.post(fields), 201);
  }

  /** Returns a post for each list of tags, one after the other, and their ids. */
  async postedWith(...lists: readonly (readonly string[])[]): Promise<number[]> {
    const ids: number[] = [];
    for (const tags of lists) ids.push((await this.posted({ tags })).postId);
    return ids;
  }

  /** Returns the ids that a query of `GET /posts/tags` finds, in order. */
  async find(query: string): Promise<number[]> {
    return (succeeded(await this.call('get', `/posts/tags?${query}`), 200) as Post[]).map(
      ({ postId }) => postId,
    );
  }

  /** Returns the tag of this very name, when it is listed. */
  async tag(name: string): Promise<Tag | undefined> {
    const { items } = succeeded(
      await this.call('get', `/tags?size=100&q=${encodeURIComponent(name)}`),
      200,
    ) as { items: Tag[] };
    return items.find((tag) => tag.name === name);
  }

  async merge(name: string, into: unknown, token: string = this.target.admin): Promise<Response> {
    return this.call('post', `/tags/${encodeURIComponent(name)}/merge`, { token, body: { into } });
  }

  async rename(name: string, to: unknown, token: string = this.target.admin): Promise<Response> {
    return this.call('patch', `/tags/${encodeURIComponent(name)}`, { token, body: { name: to } });
  }

  async deleteTag(name: string, token: string = this.target.admin): Promise<Response> {
    return this.call('delete', `/tags/${encodeURIComponent(name)}`, { token });
  }
}

export async function openBoard(at?: Target): Promise<Board> {
  return new Board(at ?? (await target()));
}
