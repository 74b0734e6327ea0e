import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { valueOf } from '@lendline/client';
import { answered, client, type Schemas } from '../../shared/client';
import { LIVE, STILL } from '../../shared/look-again';

/** What the pages ask about posts. */

const POSTS_SIZE = 10;
/** Tags that are offered while somebody types. */
const TAGS_SIZE = 8;

export type Post = Schemas['Post'];

export interface PostPage {
  readonly items: readonly Post[];
  readonly page: number;
  readonly totalPages: number;
}

/** Posts with all of these tags come as a bare list, whose length stands in a header. */
async function findPosts(
  tags: readonly string[],
  page: number,
  signal: AbortSignal,
): Promise<PostPage> {
  const result = await client.request('GET', '/posts/tags', {
    query: { tags: [...tags], page, size: POSTS_SIZE },
    signal,
  });
  const items = valueOf(result);
  const total = Number(result.headers.get('X-Total-Count'));
  return { items, page, totalPages: Math.ceil(total / POSTS_SIZE) };
}

const readPosts = (tags: readonly string[], page: number, signal: AbortSignal) =>
  tags.length > 0
    ? findPosts(tags, page, signal)
    : answered(client.request('GET', '/posts', { query: { page, size: POSTS_SIZE }, signal }));

/** Reads the first page as it is now, to compare it with the one that is shown. */
export const freshPostsQuery = (tags: readonly string[]) =>
  queryOptions<PostPage>({
    queryKey: ['posts', 'fresh', tags],
    queryFn: ({ signal }) => readPosts(tags, 1, signal),
    meta: LIVE,
  });

/**
 * The latest posts, or those with all of some tags. What somebody reads stays in place: new posts
 * are counted, and shown when they are asked for.
 */
export const postsQuery = (tags: readonly string[], page: number) =>
  queryOptions<PostPage>({
    queryKey: ['posts', tags, page],
    queryFn: ({ signal }) => readPosts(tags, page, signal),
    meta: STILL,
    refetchOnWindowFocus: false,
    placeholderData: keepPreviousData,
  });

export const postQuery = (postId: number) =>
  queryOptions({
    queryKey: ['post', postId],
    queryFn: ({ signal }) =>
      answered(client.request('GET', '/posts/{postId}', { path: { postId }, signal })),
  });

/** Tags that most often stand beside one. */
export const relatedTagsQuery = (name: string) =>
  queryOptions({
    queryKey: ['tags', 'related', name],
    queryFn: ({ signal }) =>
      answered(
        client.request('GET', '/tags/{name}/related', {
          path: { name },
          query: { size: TAGS_SIZE },
          signal,
        }),
      ),
  });

/** Finds tags that begin with the typed text, most used first. */
export const tagsQuery = (q: string) =>
  queryOptions({
    queryKey: ['tags', q],
    queryFn: ({ signal }) =>
      answered(
        client.request('GET', '/tags', {
          query: { ...(q && { q }), sort: '-postCount', size: TAGS_SIZE },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });
