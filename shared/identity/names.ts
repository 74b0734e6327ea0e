import type Joi from 'joi';
import { folded, isLonger, line } from '../fields';
import { CONFUSABLES } from './confusables';

/**
 * Which names an account may have, and which of them look alike, after UTS 39. Sign-ins are not
 * checked, because older accounts keep their names.
 */

const NAME_LENGTH_MAX = 255;
/** Room for the look of a name: "m" looks like "rn". */
export const LOOK_LENGTH_MAX = 512;

/**
 * Invisible characters, and those that turn the text around them: formats, fillers, unassigned
 * characters.
 */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]/u;

/** Scripts that may be mixed in one name. Those below may not. */
const TOGETHER = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
];

/** Scripts in general or limited use today (UAX 31), without those above. */
const ALONE = [
  ...[
    'Adlam',
    'Arabic',
    'Armenian',
    'Balinese',
    'Bengali',
    'Canadian_Aboriginal',
    'Cherokee',
    'Cyrillic',
  ],
  ...['Devanagari', 'Ethiopic', 'Georgian', 'Greek', 'Gujarati', 'Gurmukhi', 'Hebrew', 'Javanese'],
  ...[
    'Kannada',
    'Khmer',
    'Lao',
    'Malayalam',
    'Mongolian',
    'Myanmar',
    'Nko',
    'Oriya',
    'Sinhala',
    'Syriac',
  ],
  ...['Tamil', 'Telugu', 'Thaana', 'Thai', 'Tibetan', 'Tifinagh', 'Vai', 'Yi'],
];

/** A pattern for each set of scripts that may be mixed. Digits, signs and marks go with all. */
const SETS = [...TOGETHER, ...ALONE.map((script) => [script])].map((scripts) => {
  const members = [...scripts, 'Common', 'Inherited'].map((script) => `\\p{scx=${script}}`);
  return new RegExp(`^[${members.join('')}]*$`, 'u');
});

/**
 * Returns the look of a username. Names with the same look cannot be told apart (skeletons of UTS
 * 39).
 */
export function lookOf(username: string): string {
  // Invisible characters do not count, because older names may contain them.
  const visible = folded(username)
    .normalize('NFD')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  const characters = Array.from(visible, (character) => CONFUSABLES.get(character) ?? character);
  return characters.join('').normalize('NFD').replace(/\s+/gu, ' ');
}

/** Returns the look to store for an account, or null when it is too long. */
export function keptLookOf(username: string): string | null {
  const look = lookOf(username);
  return isLonger(look, LOOK_LENGTH_MAX) ? null : look;
}

/** Returns the name of an erased person. */
export const erasedName = (userId: number): string => `deleted-${userId}`;

/** The username of a new account. */
export const accountName: Joi.StringSchema = line(NAME_LENGTH_MAX)
  .custom((value: string, helpers) => {
    if (isLonger(value, NAME_LENGTH_MAX)) return value;
    if (INVISIBLE.test(value)) return helpers.error('text.invisible');
    if (!SETS.some((set) => set.test(value))) return helpers.error('text.scripts');
    return keptLookOf(value) === null ? helpers.error('text.long') : value;
  })
  .meta({
    schema: {
      title: 'AccountName',
      description: `One line of 1 to ${NAME_LENGTH_MAX} characters once it is trimmed, of one script, or of Latin with Chinese, Japanese or Korean ones. No control or invisible characters.`,
    },
  })
  .messages({
    'text.invisible': '{{#label}} must not contain invisible characters',
    'text.scripts':
      '{{#label}} must be of one script, or of Latin with Chinese, Japanese or Korean characters',
  });
