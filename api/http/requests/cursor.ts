import Joi from 'joi';
import { ID_MAX } from '../../../shared/fields';
import type { Sort } from './query-rules';

/**
 * Where a page of a sorted list ended: the `after` of the next one. Clients take it out of a `Link`
 * and need not understand it.
 */
export interface Cursor {
  readonly sort: Sort<string>;
  /** What the last item is sorted by, as the database wrote it. */
  readonly value: string | number | null;
  readonly id: number;
}

/** Longest value in a cursor, characters. */
const VALUE_LENGTH_MAX = 1024;
const CURSOR_LENGTH_MAX = 4096;

export function encodeCursor({ sort: { field, descending }, value, id }: Cursor): string {
  return Buffer.from(JSON.stringify([field, descending, value, id])).toString('base64url');
}

const cursorParts = Joi.array().ordered(
  Joi.string().required(),
  Joi.boolean().strict().required(),
  Joi.alternatives(Joi.string().allow('').max(VALUE_LENGTH_MAX), Joi.number().integer())
    .allow(null)
    .required(),
  Joi.number().integer().min(1).max(ID_MAX).required(),
);

function decodeCursor(text: string): Cursor | null {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (cursorParts.validate(parsed, { convert: false }).error) return null;
    const [field, descending, value, id] = parsed as [string, boolean, Cursor['value'], number];
    return { sort: { field, descending }, value, id };
  } catch {
    return null;
  }
}

/**
 * A cursor that one of our links named, in a schema that has `sort` before it. `fits` tells whether
 * it is one of a list that is sorted so.
 */
export function queryCursor<Field extends string>(
  fits: (sort: Sort<Field>, cursor: Cursor) => boolean,
): Joi.StringSchema {
  return Joi.string()
    .max(CURSOR_LENGTH_MAX)
    .custom((text: string, helpers) => {
      const [{ sort }] = helpers.state.ancestors as [{ sort: Sort<Field> | string }];
      const cursor = decodeCursor(text);
      // A sort that is no sort is told by its own rule.
      return cursor && (typeof sort === 'string' || fits(sort, cursor))
        ? cursor
        : helpers.error('cursor.unknown');
    })
    .meta({
      schema: { description: 'Where the page before ended; taken from a `Link` to a next page.' },
    })
    .messages({
      'cursor.unknown': '{{#label}} must be taken from the link to a next page of the same sort',
    });
}
