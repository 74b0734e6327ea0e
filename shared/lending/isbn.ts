import Joi from 'joi';

const FORM = /^(\d{9}[\dX]|\d{13})$/;
/** The prefixes of ISBN-13. Every ISBN-10 belongs to the first. */
const PREFIXES = ['978', '979'] as const;

/** Returns the sum of the digits times their weights, from the first on. */
const weighted = (digits: string, weight: (index: number) => number): number =>
  Array.from(digits).reduce((sum, digit, index) => sum + Number(digit) * weight(index), 0);

const checkDigit10 = (nine: string): string =>
  '0123456789X'.charAt((11 - (weighted(nine, (index) => 10 - index) % 11)) % 11);
const checkDigit13 = (twelve: string): string =>
  String((10 - (weighted(twelve, (index) => (index % 2 === 0 ? 1 : 3)) % 10)) % 10);

/**
 * Returns the ISBN-13 of an ISBN of either length without spaces and hyphens. Null when the check
 * digit is wrong, or the text is no ISBN. Ranges of publishers are not checked, because any list of
 * them is soon out of date.
 */
export function isbn13Of(compact: string): string | null {
  if (!FORM.test(compact)) return null;
  const first = compact.slice(0, -1);
  if (compact.length === 10) {
    const twelve = PREFIXES[0] + first;
    return compact.endsWith(checkDigit10(first)) ? twelve + checkDigit13(twelve) : null;
  }
  return PREFIXES.some((prefix) => compact.startsWith(prefix)) &&
    compact.endsWith(checkDigit13(first))
    ? compact
    : null;
}

/**
 * An ISBN as it is stored: without spaces and hyphens, X in upper case, a valid ISBN-10 as its
 * ISBN-13. A wrong check digit is accepted, because real catalogues contain them, unless the
 * validation context says `isbnStrict`.
 */
export const isbn = Joi.string()
  // An empty text is no ISBN either. Joi would refuse it before the rule below can.
  .min(0)
  .max(40)
  .custom((value: string, helpers) => {
    const compact = value.replace(/[\s-]/g, '').toUpperCase();
    if (!FORM.test(compact)) return helpers.error('isbn.form');
    const valid = isbn13Of(compact);
    if (valid !== null) return valid;
    const strict =
      (helpers.prefs.context as { isbnStrict?: boolean } | undefined)?.isbnStrict === true;
    return strict ? helpers.error('isbn.check') : compact;
  })
  .meta({
    schema: {
      title: 'Isbn',
      pattern: '^[\\s-]*(\\d[\\s-]*){9}([\\dXx]|(\\d[\\s-]*){4})[\\s-]*$',
      description: 'An ISBN of 10 or 13 characters, spaces and hyphens not counted.',
      examples: ['978-0-441-17271-9'],
    },
  })
  .messages({
    'isbn.form':
      '{{#label}} must be an ISBN of 10 or 13 characters, spaces and hyphens not counted',
    'isbn.check': '{{#label}} must be an ISBN with a correct check digit',
  });
