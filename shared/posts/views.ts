import { createHash } from 'node:crypto';

/** The shapes that clients see, made the same way from a worker's rows and from a query's. */

export interface PostRow {
  readonly id: number;
  readonly userId: number;
  readonly title: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly createdAt: Date;
}

export function postView(row: PostRow) {
  return {
    postId: row.id,
    title: row.title,
    tags: row.tags,
    content: row.content,
    /** The UTC date. */
    createdAt: row.createdAt.toISOString().slice(0, 10),
    userId: row.userId,
  };
}

export function tagView(row: {
  readonly id: number;
  readonly name: string;
  readonly postCount: number;
}) {
  return { tagId: row.id, name: row.name, postCount: row.postCount };
}

/** What stands in the ETag of a post: a digest of all that is shown of it. */
export const postTag = (view: PostView): string =>
  createHash('sha1').update(JSON.stringify(view)).digest('base64url');

export type PostView = ReturnType<typeof postView>;
export type TagView = ReturnType<typeof tagView>;
