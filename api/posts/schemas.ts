import type { PostView, TagView } from '../../shared/posts/views';
import { arrayOf, count, day, id, object, text } from '../openapi/schema';
import type { RelatedTag } from './related-tags';

/** What clients see of posts and tags, for the document. */

export const post = object<PostView>(
  'Post',
  { postId: id, title: text, tags: arrayOf(text), content: text, createdAt: day, userId: id },
  {
    postId: 12,
    title: 'Move semantics',
    tags: ['c++', 'performance'],
    content: 'A moved-from object is valid.',
    createdAt: '2026-03-02',
    userId: 7,
  },
);

/** A bare array, unlike every other list. */
export const posts = arrayOf(post);

export const tagMembers = { tagId: id, name: text, postCount: count };
export const tag = object<TagView>('Tag', tagMembers, { tagId: 4, name: 'c++', postCount: 31 });

const relatedTag = object<RelatedTag>(
  'RelatedTag',
  { ...tagMembers, together: count },
  { tagId: 5, name: 'performance', postCount: 12, together: 9 },
);
export const relatedTags = object('RelatedTagList', { items: arrayOf(relatedTag) });
