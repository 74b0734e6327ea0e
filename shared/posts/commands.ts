import Joi from 'joi';
import type { CommandOf } from '../command';
import { atMost, id, line } from '../fields';
import { tag, tags } from './tag';

/** The commands of post tagging, and the rules of their payloads. */

/** Longest content, in code points. */
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
  /** `ifTags`: ETags (`postTag`). The post must have one of them, if any are given. */
  'posts.update-post': {
    readonly postId: number;
    readonly changes: Partial<PostText>;
    readonly ifTags?: readonly string[];
  };
  'posts.delete-post': { readonly postId: number; readonly ifTags?: readonly string[] };
  /** Posts of the tag `name` are found under `into` from then on, and still under `name`. */
  'posts.merge-tag': { readonly name: string; readonly into: string };
  /** Posts of the tag `name` carry `to` from then on, and are still found under `name`. */
  'posts.rename-tag': { readonly name: string; readonly to: string };
  /** Its posts stay. Names of tags that were merged into it are deleted with it. */
  'posts.delete-tag': { readonly name: string };
}

export type PostsCommand = CommandOf<PostsCommands>;

declare module '../command' {
  interface CommandPayloads extends PostsCommands {}
  interface ServiceRefusals {
    readonly posts: PostsRefusal;
  }
}

/** Kept as the author wrote it, so nothing is trimmed. */
const content = Joi.string()
  .custom(atMost(CONTENT_LENGTH_MAX))
  .custom((value: string, helpers) => {
    if (!value.isWellFormed()) return helpers.error('text.malformed');
    // SQLite would cut the text at a NUL character.
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

/** Every refusal of posts, as the client sees it. */
export type PostsRefusal =
  | 'POST_NOT_FOUND'
  | 'TAG_NOT_FOUND'
  | 'TAG_TAKEN'
  | 'FORBIDDEN'
  | 'VERSION_MISMATCH';

export const postKey = (postId: number): string => `post:${postId}`;
export const tagKey = (tagId: number): string => `tag:${tagId}`;
/**
 * One queue decides all changes of tags. Otherwise two merges that cross each other could form a
 * circle.
 */
export const MERGES_KEY = 'tag-merges';
