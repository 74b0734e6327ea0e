import type { PostView, TagView } from './views';

/** The domain events of post tagging and their data. Clients name them, so never rename one. */
export interface PostsEvents {
  'posts.post.created': PostView;
  'posts.post.updated': PostView;
  'posts.post.deleted': { readonly postId: number };
  /** The removed tag, and the tag that stays. */
  'posts.tag.merged': TagView & { readonly into: TagView };
  'posts.tag.renamed': TagView & { readonly formerName: string };
  /** As it was. */
  'posts.tag.deleted': TagView;
}

/** Their types, so that the list of them is complete. */
export const postsEvents: Readonly<Record<keyof PostsEvents, true>> = {
  'posts.post.created': true,
  'posts.post.updated': true,
  'posts.post.deleted': true,
  'posts.tag.merged': true,
  'posts.tag.renamed': true,
  'posts.tag.deleted': true,
};
