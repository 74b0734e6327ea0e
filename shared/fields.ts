import Joi from 'joi';

/** Field rules that several services share. Each converts (trims, normalises) and then checks. */

/** Largest id: the largest integer that JSON numbers carry exactly, 2^53 - 1. */
export const ID_MAX = Number.MAX_SAFE_INTEGER;

export const id = Joi.number().integer().min(1).max(ID_MAX).strict();

/**
 * The last instant that every database can store: the end of the year 9999, milliseconds since
 * 1970.
 */
export const INSTANT_MAX = Date.UTC(10_000, 0) - 1;

/** An instant in milliseconds since 1970. */
export const instant = Joi.number().integer().min(0).max(INSTANT_MAX);

/**
 * Makes a custom rule for a text of at most `max` characters. These are code points, as databases
 * and JSON Schema count them. Joi's own rule counts UTF-16 units.
 */
export const atMost =
  (max: number) =>
  (value: string, helpers: Joi.CustomHelpers<string>): string | Joi.ErrorReport =>
    isLonger(value, max) ? helpers.error('string.max', { limit: max }) : value;

/** Returns whether a text has more than `max` code points. */
export function isLonger(text: string, max: number): boolean {
  // A code point has one or two units, so only lengths in between have to be counted.
  if (text.length <= max || text.length > 2 * max) return text.length > max;
  return Array.from(text).length > max;
}

// Tab, line feed and carriage return are control characters too, because a title has one line.
const CONTROL_CHARACTERS = /\p{Cc}/u;
/** The control characters as ranges of a pattern, for readers that do not know `\p`. */
export const CONTROL_RANGES = '\\u0000-\\u001f\\u007f-\\u009f';

/**
 * Makes the rule for one line of text: trimmed, 1 to `max` characters, no control characters, no
 * half of a surrogate pair. Composed and folded forms may be longer than the input. A column holds
 * `max` characters of the composed form and twice as many of the folded one.
 */
export function line(max: number): Joi.StringSchema {
  return Joi.string()
    .trim()
    .min(1)
    .custom(atMost(max))
    .custom((value: string, helpers) => {
      // All rules are asked. A megabyte that is refused already is not worth composing.
      if (isLonger(value, max)) return value;
      if (!value.isWellFormed()) return helpers.error('text.malformed');
      if (CONTROL_CHARACTERS.test(value)) return helpers.error('text.control');
      const composed = value.normalize('NFC');
      return isLonger(composed, max) || isLonger(folded(composed), 2 * max)
        ? helpers.error('text.long')
        : composed;
    })
    .meta({
      schema: {
        title: `Line${max}`,
        pattern: `^\\s*[^\\s${CONTROL_RANGES}]([^${CONTROL_RANGES}]{0,${max - 2}}[^\\s${CONTROL_RANGES}])?\\s*$`,
        description: `One line of 1 to ${max} characters once it is trimmed, without control characters.`,
      },
    })
    .messages({
      'text.malformed': '{{#label}} must be well-formed Unicode',
      'text.control': '{{#label}} must not contain control characters',
      'text.long':
        '{{#label}} is too long once its characters are composed and its ligatures written out',
    });
}

/** Messages of broken rules, where joi's own are longer or leave out the value. */
const RULE_MESSAGES = {
  'number.max': '{{#label}} must be at most {{#limit}}, got {{#value}}',
  'number.min': '{{#label}} must be at least {{#limit}}, got {{#value}}',
  'string.empty': '{{#label}} must not be empty',
  'string.max': '{{#label}} must have at most {{#limit}} characters',
  'string.min': '{{#label}} must have at least {{#limit}} characters',
} as const;

const reportingRules = new WeakMap<Joi.Schema, Joi.Schema>();

/**
 * Returns the rules as they report every fault, in our words. They are kept: joi would compile our
 * messages anew for each value.
 */
export function reporting<Rules extends Joi.Schema>(rules: Rules): Rules {
  const found =
    reportingRules.get(rules) ??
    rules.prefs({
      abortEarly: false,
      errors: { wrap: { label: false } },
      messages: RULE_MESSAGES,
    });
  reportingRules.set(rules, found);
  return found as Rules;
}

/** Makes the rule for a web address, trimmed, of at most `max` characters. */
export function webAddress(max: number): Joi.StringSchema {
  return Joi.string()
    .trim()
    .uri({ scheme: ['http', 'https'] })
    .max(max)
    .meta({
      schema: {
        title: `WebAddress${max}`,
        pattern: `^\\s*[Hh][Tt][Tt][Pp][Ss]?:\\S{1,${max}}\\s*$`,
        description: `An http or https address of at most ${max} characters once it is trimmed.`,
      },
    });
}

/** A calendar date `YYYY-MM-DD`, years 0001 to 9999. */
export const date = Joi.string()
  .pattern(/^\d{4}-\d{2}-\d{2}$/, 'YYYY-MM-DD')
  .custom((value: string, helpers) => {
    const parsed = new Date(`${value}T00:00:00Z`);
    const exists = !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(value);
    return exists && !value.startsWith('0000') ? value : helpers.error('date.calendar');
  })
  .meta({ schema: { format: 'date', pattern: '^\\d{4}-\\d{2}-\\d{2}$' } })
  .messages({
    'string.pattern.name': '{{#label}} must be a date of the form YYYY-MM-DD',
    'date.calendar': '{{#label}} must be a day that exists, from 0001-01-01 on',
  });

/**
 * Folds a text for comparing and searching: case and compatibility forms become equal, the same in
 * JavaScript and in every database. It goes through upper case, where "ß" and "SS" meet. The final
 * sigma and the dot of the Turkish "İ" are removed, because lower case depends on their neighbours.
 */
export function folded(text: string): string {
  return text
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replaceAll('i\u0307', 'i');
}
