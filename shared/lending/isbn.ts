import ISBN from 'isbn3';
import Joi from 'joi';

/**
 * An ISBN as it is stored: without spaces and hyphens, X in upper case, a valid ISBN-10 as its ISBN-13. A wrong check
 * digit is kept as given, because real catalogues contain them, unless the validation context says `isbnStrict`.
 */
export const isbn = Joi.string()
  .max(40)
  .custom((value: string, helpers) => {
    const compact = value.replace(/[\s-]/g, '').toUpperCase();
    if (!/^(\d{9}[\dX]|\d{13})$/.test(compact)) return helpers.error('isbn.form');
    const valid = ISBN.parse(compact);
    if (valid?.isbn13) return valid.isbn13;
    const strict = (helpers.prefs.context as { isbnStrict?: boolean } | undefined)?.isbnStrict === true;
    return strict ? helpers.error('isbn.check') : compact;
  })
  .messages({
    'isbn.form': '{{#label}} must be an ISBN of 10 or 13 characters, spaces and hyphens not counted',
    'isbn.check': '{{#label}} must be an ISBN with a right check digit',
  });
