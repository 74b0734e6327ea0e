import { CONTENT_LENGTH_MAX, type PostsCommand } from '../../shared/posts/commands';
import { foldedTag } from '../../shared/posts/tag';
import type { AllIdsOf, IdsOf, NeedsOf } from '../batch/service/needs';

/** What each post command needs: the ids that it takes, and the rows that it is decided on. */

/** What a batch of post commands reads. */
export class Wanted {
  readonly posts = new Set<number>();
  /** Folded spellings of tags. */
  readonly tags = new Set<string>();
  /** Texts whose words posts may be found by. */
  readonly texts: { readonly title?: string; readonly content?: string }[] = [];
  /**
   * Of a change of tags, which comes alone: the folded names that it is about. A merge has that of
   * the tag that goes and that of the one that stays.
   */
  changed: readonly string[] | null = null;
  isMerge = false;

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
      wanted.texts.push(payload);
    },
  },
  'posts.update-post': {
    ids: { tag: ({ changes }) => changes.tags?.length ?? 0 },
    // Without a new content the stored one is written again, of whatever length it is.
    characters: ({ changes }) => changes.content?.length ?? CONTENT_LENGTH_MAX,
    reads({ payload }, wanted) {
      wanted.posts.add(payload.postId);
      wanted.spellings(payload.changes.tags);
      wanted.texts.push(payload.changes);
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
      wanted.changed = [foldedTag(payload.name), foldedTag(payload.into)];
      wanted.isMerge = true;
    },
  },
  'posts.rename-tag': {
    // For its former name.
    ids: { tag: 1 },
    alone: true,
    reads({ payload }, wanted) {
      wanted.changed = [foldedTag(payload.name), foldedTag(payload.to)];
    },
  },
  'posts.delete-tag': {
    ids: {},
    alone: true,
    reads({ payload }, wanted) {
      wanted.changed = [foldedTag(payload.name)];
    },
  },
} satisfies NeedsOf<PostsCommand, Wanted>;

/** The ids that a command may take. */
export type PostsIds<Type extends PostsCommand['type']> = IdsOf<typeof postsNeeds, Type>;
export type AnyPostsId = AllIdsOf<typeof postsNeeds>;
