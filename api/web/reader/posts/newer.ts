/**
 * The posts of a list that were published after another reading of it, both newest first. Ids do
 * not grow with time where several workers hand them out, so the place in the list counts: what
 * stands behind the last known post is an older one that moved up.
 */
export function newerPosts<P extends { readonly postId: number }>(
  known: readonly P[],
  now: readonly P[],
): P[] {
  const ids = new Set(known.map(({ postId }) => postId));
  const last = now.findLastIndex(({ postId }) => ids.has(postId));
  const newer = last < 0 ? now : now.slice(0, last);
  return newer.filter(({ postId }) => !ids.has(postId));
}
