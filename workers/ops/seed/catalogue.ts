import { isbn13Of } from '../../../shared/lending/isbn';

/**
 * A made-up library, each part of which follows from its number. As in real ones, some words are in
 * a quarter of the titles, some authors wrote thousands of books, and some books are borrowed
 * thousands of times. A title in twenty is Korean, Japanese or has accents.
 */

export interface CatalogueSize {
  readonly titles: number;
  readonly users: number;
  readonly borrows: number;
}

const WORDS = 50_000;
/** The words that are used most, the first of them in every fourth title. */
const FREQUENT = [
  'the',
  'of',
  'and',
  'a',
  'in',
  'to',
  'for',
  'history',
  'love',
  'world',
  'life',
  'new',
  'time',
  'house',
  'city',
  'night',
];
const CONSONANTS = 'bcdfghjklmnprstvwxyz';
const VOWELS = 'aeiou';
const FIRST_NAMES = 200;
const LAST_NAMES = 5000;
const KANJI =
  '日本東京物語世界時間人生愛海山川空花鳥風月夜朝春夏秋冬夢道心光影水火木金土星雪雨森町家父母子友旅歌書文字言葉名前手紙';
const ACCENTED: Readonly<Record<string, string>> = { a: 'à', e: 'é', i: 'î', o: 'ö', u: 'ü' };
const HANGUL = { first: 0xac00, count: 11_172 };

const COPIES_MAX = 3;
const DAY_MS = 24 * 3600 * 1000;
/** The time over which titles came and were borrowed, milliseconds: three years. */
const PAST_MS = 3 * 365 * DAY_MS;
const LOAN_DAYS = 14;

/**
 * Returns a number from 0 to below 1 that looks random; the mixing of a 32-bit hash (MurmurHash3).
 */
function chance(number: number, salt: number): number {
  let h = Math.imul(number, 0x9e3779b1) ^ Math.imul(salt, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
}

const evenly = (count: number, number: number, salt: number): number =>
  Math.floor(count * chance(number, salt));
/**
 * Returns a number below `count`, the first often and the last hardly ever: the n-th about 1/n as
 * often (Zipf's law).
 */
const skewed = (count: number, number: number, salt: number): number =>
  Math.min(count, Math.floor((count + 1) ** chance(number, salt))) - 1;

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

function syllables(number: number): string {
  const letters = CONSONANTS.length * VOWELS.length;
  let text = '';
  for (let rest = number + letters; rest > 0; rest = Math.floor(rest / letters)) {
    text +=
      CONSONANTS.charAt(rest % CONSONANTS.length) +
      VOWELS.charAt(Math.floor((rest % letters) / CONSONANTS.length));
  }
  return text;
}

/** Returns the n-th word by how often it is used. */
export const word = (rank: number): string => FREQUENT[rank] ?? syllables(rank);

const korean = (rank: number): string =>
  String.fromCodePoint(
    HANGUL.first + ((rank * 7919) % HANGUL.count),
    HANGUL.first + ((rank * 104_729 + 31) % HANGUL.count),
  );

function titleText(number: number): string {
  const count = 2 + evenly(6, number, 1);
  const ranks = Array.from({ length: count }, (_, index) => skewed(WORDS, number, 100 + index));
  const kind = chance(number, 2);
  if (kind < 0.02) return ranks.map(korean).join(' ');
  if (kind < 0.03)
    return Array.from({ length: 4 + 2 * count }, (_, index) =>
      KANJI.charAt(skewed(KANJI.length, number, 200 + index)),
    ).join('');
  const text = ranks.map((rank) => capitalised(word(rank))).join(' ');
  return kind < 0.05 ? text.replace(/[aeiou]/g, (vowel) => ACCENTED[vowel] ?? vowel) : text;
}

/** Returns the ISBN of a number, a different one for each up to a hundred million. */
function isbnOf(number: number): string {
  const twelve = `9798${String((number * 61_803_399) % 100_000_000).padStart(8, '0')}`;
  const digits = '0123456789';
  return (
    Array.from(digits, (digit) => isbn13Of(twelve + digit)).find((isbn) => isbn !== null) ?? ''
  );
}

export interface SeedTitle {
  readonly title: string;
  /** Number of its author. */
  readonly author: number;
  readonly isbn: string | null;
  /** `YYYY-MM-DD` */
  readonly published: string | null;
  readonly createdAt: Date;
}

export interface SeedBorrow {
  /** Numbers of the title and of the user. */
  readonly title: number;
  readonly user: number;
  readonly borrowedAt: Date;
  readonly dueAt: Date;
  readonly returnedAt: Date;
}

/** The catalogue of a size, whose past ends at `until`. Everything is numbered from 0. */
export class Catalogue {
  readonly authors: number;
  private readonly begin: number;

  constructor(
    readonly size: CatalogueSize,
    private readonly until: Date,
  ) {
    this.authors = Math.min(FIRST_NAMES * LAST_NAMES, Math.ceil(size.titles / 4));
    this.begin = until.getTime() - PAST_MS;
  }

  author(number: number): string {
    return `${capitalised(syllables(Math.floor(number / LAST_NAMES)))} ${capitalised(syllables(number % LAST_NAMES))}`;
  }

  title(number: number): SeedTitle {
    const author =
      chance(number, 3) < 0.7 ? evenly(this.authors, number, 4) : skewed(this.authors, number, 5);
    const published =
      chance(number, 6) < 0.05
        ? null
        : new Date(Date.UTC(1900, 0, 1 + evenly(126 * 365, number, 7))).toISOString().slice(0, 10);
    return {
      title: titleText(number),
      author,
      isbn: chance(number, 8) < 0.05 ? null : isbnOf(number),
      published,
      createdAt: new Date(this.begin + Math.floor((PAST_MS * number) / this.size.titles)),
    };
  }

  /** Returns the number of copies of a title. One title in ten has none. */
  copies(number: number): number {
    return chance(number, 9) < 0.1 ? 0 : 1 + evenly(COPIES_MAX, number, 10);
  }

  /** Returns a borrow. Borrows are in the order of their times. */
  borrow(number: number): SeedBorrow {
    const at = this.begin + Math.floor((PAST_MS * number) / this.size.borrows);
    const returnedAt = Math.min(at + DAY_MS * (1 + 12 * chance(number, 11)), this.until.getTime());
    return {
      title: this.borrowedTitle(number),
      user: evenly(this.size.users, number, 12),
      borrowedAt: new Date(at),
      dueAt: new Date(at + LOAN_DAYS * DAY_MS),
      returnedAt: new Date(returnedAt),
    };
  }

  /** Returns the title of a borrow. Popular titles are spread over the catalogue. */
  private borrowedTitle(number: number): number {
    const { titles } = this.size;
    let title = (skewed(titles, number, 13) * 7919 + 11) % titles;
    for (let tries = 0; tries < titles && this.copies(title) === 0; tries += 1)
      title = (title + 1) % titles;
    return title;
  }
}
