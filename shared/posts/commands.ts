import Joi from 'joi';
import type { CommandOf } from '../command';
import { atMost, id, line } from '../fields';
import { tag, tags } from './tag';

/** The commands of post tagging, and the rules of their payloads. */

/** Longest content, in characters, which are code points. */
export const CONTENT_LENGTH_MAX = 100_000;

/** What an author writes. */
export interface PostText {
  readonly title: string;
  readonly content: string;
  /** In the author's spelling and order. */
  readonly tags: readonly string[];
}

export interface PostsCommands {
  /** `userId`: the author, who need not be a user here. */
  'posts.create-post': PostText & { readonly userId: number };
  /** `ifTags`: the ETags one of which the post must have (`postTag`), where some are named. */
  'posts.update-post': {
    readonly postId: number;
    readonly changes: Partial<PostText>;
    readonly ifTags?: readonly string[];
  };
  'posts.delete-post': { readonly postId: number; readonly ifTags?: readonly string[] };
  /** Posts of the tag `name` are found under `into` from then on, and under `name` all the same. */
  'posts.merge-tag': { readonly name: string; readonly into: string };
  /**
   * Posts of the tag `name` show it as `to` from then on, and are found under `name` all the same.
   */
  'posts.rename-tag': { readonly name: string; readonly to: string };
  /** Its posts stay. The names of tags that were merged into it go as well. */
  'posts.delete-tag': { readonly name: string };
}

export type PostsCommand = CommandOf<PostsCommands>;

declare module '../command' {
  interface CommandPayloads extends PostsCommands {}
}

/** Kept as it was written, so nothing is trimmed. */
const content = Joi.string()
  .custom(atMost(CONTENT_LENGTH_MAX))
  .custom((value: string, helpers) => {
    if (!value.isWellFormed()) return helpers.error('text.malformed');
    // SQLite would cut the text there.
    return value.includes('\0') ? helpers.error('text.control') : value;
  })
  .meta({ schema: { maxLength: CONTENT_LENGTH_MAX, pattern: '^[^\\u0000]*$' } })
  .messages({
    'text.malformed': '{{#label}} must be well-formed Unicode',
    'text.control': '{{#label}} must not contain the character U+0000',
  });

/** Rules for the fields of a post, by name; used for request bodies and for payloads. */
export const postFields = { title: line(255), content, tags, userId: id, tag };

const object = <T>(keys: Joi.SchemaMap): Joi.ObjectSchema<T> =>
  Joi.object<T>(keys).prefs({ presence: 'required' });
const ifTags = Joi.array()
  .items(
    Joi.string()
      .pattern(/^[\w-]{27}$/)
      .optional(),
  )
  .optional();
const text = { title: postFields.title, content, tags };

/** The payload rules, one line a command. */
export const postsPayloads: {
  [Type in keyof PostsCommands]: Joi.ObjectSchema<PostsCommands[Type]>;
} = {
  'posts.create-post': object({ ...text, userId: id }),
  'posts.update-post': object({
    postId: id,
    changes: Joi.object(text).min(1).prefs({ presence: 'optional' }),
    ifTags,
  }),
  'posts.delete-post': object({ postId: id, ifTags }),
  'posts.merge-tag': object({ name: tag, into: tag }),
  'posts.rename-tag': object({ name: tag, to: tag }),
  'posts.delete-tag': object({ name: tag }),
};

/** Everything that the post service refuses, as the client sees it. */
export type PostsRefusal =
  'POST_NOT_FOUND' | 'TAG_NOT_FOUND' | 'TAG_TAKEN' | 'FORBIDDEN' | 'VERSION_MISMATCH';

export const postKey = (postId: number): string => `post:${postId}`;
export const tagKey = (tagId: number): string => `tag:${tagId}`;
/**
 * All changes of tags stand in one queue: two merges that cross each other would otherwise make a
 * circle.
 */
export const MERGES_KEY = 'tag-merges';
