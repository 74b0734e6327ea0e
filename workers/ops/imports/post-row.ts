import Joi from 'joi';
import { postFields, type PostsCommands } from '../../../shared/posts/commands';
import { checkedItem, listIn, oneLine, textCells, wholeNumber } from './row-cells';
import type { RawCells } from './row-format';

/** Makes a post out of a row of somebody's file. Pure. */

/** The columns that are understood, in lower case. */
export const POST_COLUMNS = ['title', 'content', 'tags', 'userid'] as const;
type PostColumn = (typeof POST_COLUMNS)[number];

export type PostToRegister = PostsCommands['posts.create-post'];

const { title, content, tags, userId } = postFields;
const rules = Joi.object<PostToRegister>({ title, content, tags, userId }).prefs({
  presence: 'required',
});

const isTexts = (list: unknown): boolean =>
  Array.isArray(list) && list.every((item) => typeof item === 'string');

/**
 * Returns the tags of a cell: a list of JSON as it is, any other text cut at its commas, because a
 * tag cannot contain one. Blanks mean nothing.
 */
function cleanTags(cell: unknown, warnings: string[]): unknown {
  if (cell === undefined || cell === null) return [];
  const list = listIn(cell);
  if (typeof cell !== 'string' || isTexts(list)) return list;
  const tags = cell.split(',').filter((tag) => tag.trim() !== '');
  const [only = ''] = tags;
  if (tags.length === 1 && only.includes('|'))
    warnings.push(`'${only.trim()}' is taken for one tag: tags are separated by commas`);
  return tags;
}

/** @throws Refused */
export function cleanPostRow(
  { tags: list, ...row }: RawCells<PostColumn>,
  warnings: string[],
): PostToRegister {
  const cells = textCells(row);
  return checkedItem(rules, {
    title: oneLine(cells.title),
    // Kept as it was written.
    content: cells.content ?? '',
    tags: cleanTags(list, warnings),
    userId: wholeNumber(cells.userid, undefined),
  });
}
