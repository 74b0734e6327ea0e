import type { PostsEvents } from '../../shared/posts/events';
import { id, object, text, type SchemasOf } from '../openapi/schema';
import { post, tag, tagMembers } from './schemas';

/** The data of the events of post tagging. */

const merged = { tagId: 4, name: 'cpp', postCount: 31 };

export const postsEventSchemas: SchemasOf<PostsEvents> = {
  'posts.post.created': post,
  'posts.post.updated': post,
  'posts.post.deleted': object('PostDeleted', { postId: id }, { postId: 12 }),
  'posts.tag.merged': object(
    'TagMerged',
    { ...tagMembers, into: tag },
    { ...merged, into: { tagId: 5, name: 'c++', postCount: 40 } },
  ),
  'posts.tag.renamed': object(
    'TagRenamed',
    { ...tagMembers, formerName: text },
    { ...merged, formerName: 'c-plus-plus' },
  ),
  'posts.tag.deleted': tag,
};
