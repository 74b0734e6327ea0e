import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answered, client, type Schemas } from '../../shared/client';

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
  const call = client.GET('/posts/tags', {
    params: { query: { tags: [...tags], page, size: POSTS_SIZE } },
    signal,
  });
  const items = await answered(call);
  const total = Number((await call).response.headers.get('X-Total-Count'));
  return { items, page, totalPages: Math.ceil(total / POSTS_SIZE) };
}

/** The latest posts, or those with all of some tags. */
export const postsQuery = (tags: readonly string[], page: number) =>
  queryOptions<PostPage>({
    queryKey: ['posts', tags, page],
    queryFn: ({ signal }) =>
      tags.length > 0
        ? findPosts(tags, page, signal)
        : answered(client.GET('/posts', { params: { query: { page, size: POSTS_SIZE } }, signal })),
    placeholderData: keepPreviousData,
  });

export const postQuery = (postId: number) =>
  queryOptions({
    queryKey: ['post', postId],
    queryFn: ({ signal }) =>
      answered(client.GET('/posts/{postId}', { params: { path: { postId } }, signal })),
  });

/** Tags that begin with what is typed, most used first. */
export const tagsQuery = (q: string) =>
  queryOptions({
    queryKey: ['tags', q],
    queryFn: ({ signal }) =>
      answered(
        client.GET('/tags', {
          params: { query: { ...(q && { q }), sort: '-postCount', size: TAGS_SIZE } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });
