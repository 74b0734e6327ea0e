import { CONTENT_LENGTH_MAX, type PostsCommand } from '../../shared/posts/commands';
import { foldedTag } from '../../shared/posts/tag';
import type { AllIdsOf, IdsOf, NeedsOf } from '../batch/needs';

/** What each post command needs: the ids that it takes, and the rows that it is decided on. */

/** What a batch of post commands reads. */
export class Wanted {
  readonly posts = new Set<number>();
  /** Folded spellings of tags. */
  readonly tags = new Set<string>();
  /** Of a merge, which comes alone: the folded names of the tag that goes and of the one that stays. */
  merge: readonly [name: string, into: string] | null = null;

  spellings(tags: readonly string[] = []): void {
    for (const tag of tags) this.tags.add(foldedTag(tag));
  }
}

export const postsNeeds = {
  'posts.create-post': {
    ids: { post: 1, tag: ({ tags }) => tags.length },
    characters: ({ content }) => content.length,
    reads({ payload }, wanted) {
      wanted.spellings(payload.tags);
    },
  },
  'posts.update-post': {
    ids: { tag: ({ changes }) => changes.tags?.length ?? 0 },
    // Without a new content the stored one is written again, of whatever length it is.
    characters: ({ changes }) => changes.content?.length ?? CONTENT_LENGTH_MAX,
    reads({ payload }, wanted) {
      wanted.posts.add(payload.postId);
      wanted.spellings(payload.changes.tags);
    },
  },
  'posts.delete-post': {
    ids: {},
    reads({ payload }, wanted) {
      wanted.posts.add(payload.postId);
    },
  },
  'posts.merge-tag': {
    ids: {},
    // It rewrites the tags of posts that are not loaded, so no other decision may rest on what was
    // read before it.
    alone: true,
    reads({ payload }, wanted) {
      wanted.merge = [foldedTag(payload.name), foldedTag(payload.into)];
    },
  },
} satisfies NeedsOf<PostsCommand, Wanted>;

/** The ids that a command may take. */
export type PostsIds<Type extends PostsCommand['type']> = IdsOf<typeof postsNeeds, Type>;
export type AnyPostsId = AllIdsOf<typeof postsNeeds>;
