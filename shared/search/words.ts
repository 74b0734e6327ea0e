import { folded } from '../fields';

/**
 * Splits text so that an index finds any part of it, in every script and database. A title's text
 * becomes words, and each word is stored with all its endings. A part of a word begins one of its
 * endings, so a range of an ordinary index finds it. A part that spans a space is found by one of
 * its words, and then compared.
 */

/** What a word comes from. */
export type WordKind = 'author' | 'isbn' | 'post' | 'title';
/**
 * A bare ending leads from the word without accents to the word with them, for titles and names.
 */
export type EndingKind = WordKind | 'bare';

/** Characters of an ending that are stored. Search terms are cut to as many. */
export const ENDING_LENGTH = 16;
/**
 * Most characters of a word. Longer words, as in Japanese, are cut into overlapping pieces. Every
 * part of up to `ENDING_LENGTH` characters is in one of them.
 */
export const WORD_LENGTH = 2 * ENDING_LENGTH;

/**
 * Shortest stored ending. Shorter ones of an ISBN match so many titles that an index does not help.
 */
const ENDING_LENGTH_MIN: Readonly<Record<EndingKind, number>> = {
  author: 1,
  bare: 1,
  isbn: 4,
  post: 1,
  title: 1,
};

/** Accents of Latin, Greek and Cyrillic letters; marks of other scripts make other letters. */
const ACCENTS = /[\u0300-\u036f]/g;
const APOSTROPHES = /['\u2018\u2019\u02bc`\u00b4]/g;
/** Letters that do not decompose, and how people without them type them. */
const SUBSTITUTES: Readonly<Record<string, string>> = {
  æ: 'ae',
  ð: 'd',
  ø: 'o',
  þ: 'th',
  đ: 'd',
  ı: 'i',
  ł: 'l',
  œ: 'oe',
};
const SUBSTITUTED = new RegExp(`[${Object.keys(SUBSTITUTES).join('')}]`, 'g');

/** Returns a folded text as people type it in a hurry: without accents and apostrophes. */
export function bare(text: string): string {
  return text
    .normalize('NFD')
    .replace(ACCENTS, '')
    .normalize('NFC')
    .replace(APOSTROPHES, '')
    .replace(SUBSTITUTED, (letter) => SUBSTITUTES[letter] ?? letter);
}

/** Returns whether a word of a title or name has bare endings besides its own. */
export const isBarable = (kind: WordKind, word: string): boolean =>
  (kind === 'author' || kind === 'title') && bare(word) !== word;

/** Returns the words that a run is cut into. */
export function cut(run: string): string[] {
  const characters = Array.from(run);
  const pieces: string[] = [];
  let start = 0;
  do {
    pieces.push(characters.slice(start, start + WORD_LENGTH).join(''));
    start += WORD_LENGTH - ENDING_LENGTH;
  } while (start + ENDING_LENGTH < characters.length);
  return pieces;
}

/**
 * Returns the parts of a text between spaces. An ISBN is already in one form. Other text is folded.
 */
export const runsOf = (kind: WordKind, text: string): string[] =>
  (kind === 'isbn' ? text : folded(text)).split(/\s+/u).filter((run) => run !== '');

/** Returns the distinct words of a text. */
export function wordsOf(kind: WordKind, text: string): string[] {
  return [...new Set(runsOf(kind, text).flatMap(cut))];
}

/** Returns the distinct endings of a word, beginning with the whole word. */
export function endingsOf(kind: EndingKind, word: string): string[] {
  const characters = Array.from(kind === 'bare' ? bare(word) : word);
  const count = Math.max(0, characters.length - ENDING_LENGTH_MIN[kind] + 1);
  return [
    ...new Set(
      Array.from({ length: count }, (_, start) =>
        characters.slice(start, start + ENDING_LENGTH).join(''),
      ),
    ),
  ];
}

/**
 * Returns parts of a text, the longest first. Each is in some word of every text that contains this
 * one. Returns none when they are too short to look up.
 */
export function partsOf(kind: WordKind, text: string): string[] {
  const parts = runsOf(kind, text).map((run) => Array.from(run).slice(0, ENDING_LENGTH));
  return parts
    .filter(({ length }) => length >= ENDING_LENGTH_MIN[kind])
    .sort((a, b) => b.length - a.length)
    .map((characters) => characters.join(''));
}

/** Returns whether a text has a single part, so that every match of the part contains the text. */
export function isOnePart(kind: WordKind, text: string): boolean {
  const [run = '', ...others] = runsOf(kind, text);
  return others.length === 0 && partsOf(kind, run)[0] === run;
}

const LAST = 0x10ffff;
const SURROGATES = { first: 0xd800, after: 0xe000 };

/**
 * Returns the smallest text that is greater than every text that begins with `part`, by code
 * points, or null.
 */
export function endOfRange(part: string): string | null {
  const points = Array.from(part, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === LAST) points.pop();
  const last = points.pop();
  if (last === undefined) return null;
  const next = last + 1 === SURROGATES.first ? SURROGATES.after : last + 1;
  return String.fromCodePoint(...points, next);
}
