import { Problem } from '../responses/problem';

/**
 * Bounds of a JSON text, checked before it is parsed. A megabyte of brackets or names takes a
 * hundred times as long to parse as a megabyte of text, and nobody else is answered meanwhile.
 */
const VALUES_MAX = 200_000;
const FIELDS_MAX = 5000;
const DEPTH_MAX = 32;

const [QUOTE, BACKSLASH, COMMA, COLON] = ['"', '\\', ',', ':'].map((sign) => sign.charCodeAt(0));
const OPENING = new Set(['[', '{'].map((sign) => sign.charCodeAt(0)));
const CLOSING = new Set([']', '}'].map((sign) => sign.charCodeAt(0)));

/**
 * The place of the quote that ends the text which begins behind `start`; the end of all when there
 * is none.
 */
function endOfText(bytes: Buffer, start: number): number {
  for (
    let end = bytes.indexOf(QUOTE as number, start + 1);
    end >= 0;
    end = bytes.indexOf(QUOTE as number, end + 1)
  ) {
    let first = end;
    while (bytes[first - 1] === BACKSLASH) first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return bytes.length;
}

function tooMuch(code: string, message: string): Problem {
  return new Problem('VALIDATION_FAILED', `${message}.`, {
    extras: { errors: [{ field: 'body', code, message }] },
  });
}

/**
 * @throws Problem VALIDATION_FAILED for a text that is nested too deep, or holds too much. Whether
 * it is JSON is not looked at.
 */
export function checkJsonSize(bytes: Buffer): void {
  let [depth, values, fields] = [0, 1, 0];
  for (let place = 0; place < bytes.length; place += 1) {
    const sign = bytes[place] as number;
    if (sign === QUOTE) place = endOfText(bytes, place);
    else if (sign === COMMA) values += 1;
    else if (sign === COLON) fields += 1;
    else if (OPENING.has(sign)) depth += 1;
    else if (CLOSING.has(sign)) depth -= 1;
    if (depth > DEPTH_MAX)
      throw tooMuch('INVALID_TYPE', `the body must not be nested deeper than ${DEPTH_MAX} levels`);
    if (values > VALUES_MAX)
      throw tooMuch('TOO_LONG', `the body must not have more than ${VALUES_MAX} values`);
    if (fields > FIELDS_MAX)
      throw tooMuch('TOO_LONG', `the body must not have more than ${FIELDS_MAX} fields`);
  }
}
