import { createHash } from 'node:crypto';

/** The views that clients get. Workers' rows and queries' rows give the same view. */

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

/** Returns the tag in a post's ETag: a digest of the whole view. */
export const postTag = (view: PostView): string =>
  createHash('sha1').update(JSON.stringify(view)).digest('base64url');

export type PostView = ReturnType<typeof postView>;
export type TagView = ReturnType<typeof tagView>;
