import Joi from 'joi';
import { CONTROL_RANGES, isLonger } from '../fields';

/** What a tag is, and which spellings are the same tag. */

export const TAG_LENGTH_MAX = 50;
/** Longest text that is looked at for a tag, with the spaces that are dropped, UTF-16 units. */
const SENT_LENGTH_MAX = 10_000;
/** Most tags of a post, and most in one list of a search. */
export const TAGS_MAX = 20;
/** Room for a folded tag: folding makes at most three characters of one ("ΐ"). */
export const FOLDED_LENGTH_MAX = 3 * TAG_LENGTH_MAX;

const NOT_IN_TAGS = /[,\p{Cc}]/u;

/** Returns a tag as it is stored and displayed: NFC, trimmed, inner spaces collapsed. */
export function tidyTag(text: string): string {
  return text
    .normalize('NFC')
    .trim()
    .replace(/[^\S\p{Cc}]+/gu, ' ');
}

/**
 * Returns what is wrong with a tidy tag, as a joi error, or null. Characters are code points, as
 * databases count them.
 */
export function tagFault(
  tag: string,
): 'string.empty' | 'string.max' | 'tags.malformed' | 'tags.character' | null {
  if (tag === '') return 'string.empty';
  if (!tag.isWellFormed()) return 'tags.malformed';
  if (NOT_IN_TAGS.test(tag)) return 'tags.character';
  return isLonger(tag, TAG_LENGTH_MAX) ? 'string.max' : null;
}

/**
 * Folds case fully, as Unicode does, with what JavaScript has. Lower case comes first, because "ẞ"
 * is upper case already and only "ß" becomes "SS". The dotless "ı" is left out, because upper case
 * takes it for an "i". Accents and compatibility forms stay apart.
 */
export function foldedTag(tag: string): string {
  const caseless = tag
    .normalize('NFC')
    .split('ı')
    .map((part) => part.toLowerCase().toUpperCase().toLowerCase());
  return caseless.join('ı').replaceAll('ς', 'σ').normalize('NFC');
}

/** Returns the tags in order, without those that repeat an earlier one in another spelling. */
export function distinctTags(tags: readonly string[]): string[] {
  const first = new Map<string, string>();
  for (const tag of tags) if (!first.has(foldedTag(tag))) first.set(foldedTag(tag), tag);
  return [...first.values()];
}

export const TAG_MESSAGES = {
  'string.empty': '{{#label}} must not be blank',
  'string.max': `{{#label}} must have at most ${TAG_LENGTH_MAX} characters`,
  'tags.malformed': '{{#label}} must be well-formed Unicode',
  'tags.character': '{{#label}} must not contain commas or control characters',
};

/** A tag in a body or payload; in a payload it is tidy already. */
export const tag = Joi.string()
  .custom((value: string, helpers) => {
    if (value.length > SENT_LENGTH_MAX) return helpers.error('string.max');
    const tidy = tidyTag(value);
    const fault = tagFault(tidy);
    if (fault !== null) return helpers.error(fault);
    return helpers.prefs.convert === false && tidy !== value ? helpers.error('string.trim') : tidy;
  })
  .meta({
    schema: {
      title: 'TagName',
      pattern: `^\\s*[^,\\s${CONTROL_RANGES}]([^,${CONTROL_RANGES}]*[^,\\s${CONTROL_RANGES}])?\\s*$`,
      description: `1 to ${TAG_LENGTH_MAX} characters once it is trimmed and its inner space collapsed, without commas and control characters.`,
    },
  })
  .messages(TAG_MESSAGES);

/** The tags of a post. The limit counts them as sent. Repeats are dropped afterwards. */
export const tags = Joi.array()
  .items(tag.optional())
  .max(TAGS_MAX)
  // Joi calls this also when some of the items are no tags.
  .custom((values: unknown[]) =>
    values.every((value) => typeof value === 'string') ? distinctTags(values) : values,
  );
