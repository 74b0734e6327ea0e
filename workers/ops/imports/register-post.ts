import type { PostView } from '../../../shared/posts/views';
import type { PostToRegister } from './post-row';
import { fingerprint, itemsOf, registerOnce, type Registration } from './registration';
import type { ServiceClient } from './service-client';

/**
 * Returns what makes two posts the same: all that their author wrote. When they were written does
 * not count.
 */
export const postIdentity = ({
  userId,
  title,
  content,
  tags,
}: PostToRegister | PostView): unknown => [userId, title, content, tags];

/**
 * The posts of the file's authors that were there before, read once an author, 43 characters each.
 * A post is looked for among them, for the API has no search by text.
 */
export class KnownPosts {
  private readonly authors = new Map<number, Promise<ReadonlySet<string>>>();

  async has(client: ServiceClient, post: PostToRegister): Promise<boolean> {
    const { userId } = post;
    const known = this.authors.get(userId) ?? this.read(client, userId);
    this.authors.set(userId, known);
    return (await known).has(fingerprint(postIdentity(post)));
  }

  private async read(client: ServiceClient, userId: number): Promise<ReadonlySet<string>> {
    const prints = new Set<string>();
    for await (const post of itemsOf<PostView>(client, '/posts', { userId: String(userId) }))
      prints.add(fingerprint(postIdentity(post)));
    return prints;
  }
}

/** @throws Refused, or OpsError when the fault is not the row's. */
export async function registerPost(
  client: ServiceClient,
  post: PostToRegister,
  known: KnownPosts,
): Promise<Registration> {
  if (await known.has(client, post)) return { kind: 'there' };
  return registerOnce(client, '/posts', post, ({ postId }) => `/posts/${String(postId)}`);
}
