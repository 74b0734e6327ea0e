import Joi from 'joi';
import { ID_MAX } from '../../../shared/fields';
import { parseId } from './path-params';

/**
 * Rules for query parameters, whose values arrive as strings and are taken literally: no spaces, no
 * `1.0`, no `+1`.
 */

interface IntegerRange {
  readonly min: number;
  readonly max: number;
  /** A larger value counts as `max` and is no fault. */
  readonly clamp?: boolean;
}

const NUMBER_MESSAGES = {
  'number.integer': '{{#label}} must be an integer',
  'number.min': '{{#label}} must be at least {{#limit}}',
  'number.max': '{{#label}} must be at most {{#limit}}',
};

export function queryInteger({ min, max, clamp = false }: IntegerRange): Joi.StringSchema {
  return Joi.string()
    .custom((text: string, helpers) => {
      if (!/^(0|-?[1-9][0-9]*)$/.test(text)) return helpers.error('number.integer');
      const value = Number(text);
      if (value < min) return helpers.error('number.min', { limit: min });
      if (value <= max) return value;
      return clamp ? max : helpers.error('number.max', { limit: max });
    })
    .meta({
      schema: {
        type: 'integer',
        minimum: min,
        ...(clamp ? { description: `A larger one counts as ${max}.` } : { maximum: max }),
      },
    })
    .messages({ ...NUMBER_MESSAGES, 'string.empty': NUMBER_MESSAGES['number.integer'] });
}

/** An id of something, in the same form as in a path. */
export function queryId(): Joi.StringSchema {
  return Joi.string()
    .custom((text: string, helpers) => parseId(text) ?? helpers.error('number.integer'))
    .meta({ schema: { type: 'integer', minimum: 1, maximum: ID_MAX } })
    .messages({ 'number.integer': `{{#label}} must be an integer from 1 to ${ID_MAX}` });
}

/** Texts of a form, taken literally. */
export function queryForm(form: RegExp, described: string): Joi.StringSchema {
  return Joi.string()
    .custom((text: string, helpers) => (form.test(text) ? text : helpers.error('text.form')))
    .meta({ schema: { pattern: form.source, description: `It must be ${described}.` } })
    .messages({ 'text.form': `{{#label}} must be ${described}` });
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z$/;
const INSTANT_DESCRIBED = 'an instant in UTC such as 2026-11-21T09:50:27.711Z';

/** An instant of RFC 3339 in UTC, of a day that exists. */
export function queryInstant(): Joi.StringSchema {
  return Joi.string()
    .custom((text: string, helpers) => {
      const instant = INSTANT.test(text) ? new Date(text) : null;
      // JavaScript takes February 30 for March 2.
      const exists =
        instant &&
        !Number.isNaN(instant.getTime()) &&
        instant.toISOString().startsWith(text.slice(0, 10));
      return exists ? instant : helpers.error('text.form');
    })
    .meta({
      schema: {
        format: 'date-time',
        pattern: INSTANT.source,
        description: `It must be ${INSTANT_DESCRIBED}.`,
      },
    })
    .messages({ 'text.form': `{{#label}} must be ${INSTANT_DESCRIBED}` });
}

/** joi's own `valid` would end the check before the text is parsed. */
function oneOf(
  valids: readonly string[],
  parse: (text: string) => unknown,
  schema: object = { type: 'string', enum: valids },
): Joi.StringSchema {
  return Joi.string()
    .custom((text: string, helpers) =>
      valids.includes(text) ? parse(text) : helpers.error('any.only', { valids }),
    )
    .meta({ schema });
}

/** Exactly `true` or `false`. */
export function queryBoolean(): Joi.StringSchema {
  return oneOf(['true', 'false'], (text) => text === 'true', { type: 'boolean' });
}

/**
 * `true` or `false`; the name alone, which clients and proxies also write as `name=`, is `true`.
 */
export function queryFlag(): Joi.AnySchema {
  return Joi.any()
    .custom((text: unknown, helpers) =>
      text === 'true' || text === 'false' || text === ''
        ? text !== 'false'
        : helpers.error('any.only', { valids: ['true', 'false'] }),
    )
    .meta({
      schema: {
        type: 'boolean',
        allowEmptyValue: true,
        description: 'Its name without a value is `true`.',
      },
    });
}

export interface Sort<Field extends string> {
  readonly field: Field;
  readonly descending: boolean;
}

function sortOf<Field extends string>(text: string): Sort<Field> {
  const descending = text.startsWith('-');
  return { field: (descending ? text.slice(1) : text) as Field, descending };
}

/**
 * One of the orders, each `field` or `-field`. `standard` chooses the order when the parameter is
 * absent, by the parameters before it; `described` documents that choice.
 */
export function queryOrder<Field extends string>(
  orders: readonly string[],
  standard: (query: object) => Sort<Field>,
  described: string,
): Joi.StringSchema {
  return oneOf(orders, sortOf<Field>, {
    type: 'string',
    enum: orders,
    description: described,
  }).default(standard);
}

/** `field` or `-field` out of the list; `standard` when the parameter is absent. */
export function querySort<Field extends string>(
  fields: readonly Field[],
  standard: Sort<Field>,
): Joi.StringSchema {
  return oneOf(
    fields.flatMap((field) => [field, `-${field}`]),
    sortOf<Field>,
  )
    .default(standard)
    .meta({ schema: { default: `${standard.descending ? '-' : ''}${standard.field}` } });
}
