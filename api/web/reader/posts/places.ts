import { decoded } from '../segment';

/** Where posts are in the page's address. A tag holds no comma. */

export const tagsOf = (segment: string): string[] =>
  segment.split(',').filter(Boolean).map(decoded);

export const pathOfPosts = (tags: readonly string[], page = 1): string => {
  const path =
    tags.length > 0 ? `/posts/tags/${tags.map(encodeURIComponent).join(',')}` : '/posts/latest';
  return page > 1 ? `${path}/${page}` : path;
};
