import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { folded } from '../../shared/fields';
import { bare, endOfRange, partsOf } from '../../shared/search/words';
import { anyOf, type Filter } from './filter';
import { textFilter } from './title-filters';

/**
 * What a reader types is often no part of a title: an author stands behind it, or accents, an
 * apostrophe or an article are missing. So when nothing has the whole text, titles are found that
 * have each of its words, in the title or in the author's name, with or without accents.
 */

/** Words that are searched for. The longest ones find the fewest titles. */
const WORDS_MAX = 8;
/** Words with accents that are tried for one without them, the shortest first. */
const SPELLINGS_MAX = 20;

/** Words that people leave out, add or write otherwise. */
const FILLERS = new Set(['&', 'a', 'an', 'and', 'by', 'the']);
const PUNCTUATION = /^[\s"(),.:;!?[\]]+|[\s"(),.:;!?[\]]+$/gu;

/**
 * Returns the words of a text that count, without what stands around them; none when it has no
 * words.
 */
function searchedWords(text: string): string[] {
  const words = folded(text)
    .split(/\s+/u)
    .map((word) => word.replace(PUNCTUATION, ''))
    .filter((word) => word !== '');
  const telling = words.filter((word) => !FILLERS.has(word));
  return [...new Set(telling.length > 0 ? telling : words)]
    .sort((a, b) => b.length - a.length)
    .slice(0, WORDS_MAX);
}

/** Returns the spellings of a word: without accents, and with the accents of stored words. */
async function spellingsOf(database: Sequelize, word: string): Promise<string[]> {
  const plain = bare(word);
  const [part] = partsOf('title', plain);
  if (part === undefined) return [word];
  const end = endOfRange(part);
  const range = `ending >= ${database.escape(part)}${end === null ? '' : ` AND ending < ${database.escape(end)}`}`;
  const accented = await database.query<{ word: string }>(
    `SELECT ending, word FROM search_ending WHERE kind = 'bare' AND ${range} ORDER BY ending, word LIMIT ${SPELLINGS_MAX}`,
    { type: QueryTypes.SELECT },
  );
  return [...new Set([word, plain, ...accented.map((row) => row.word)])];
}

async function wordFilter(database: Sequelize, word: string, enough: number): Promise<Filter> {
  const filters: Filter[] = [];
  for (const spelling of await spellingsOf(database, word))
    filters.push(await textFilter(database, spelling, enough));
  return anyOf(filters);
}

/** Returns a filter for each word of the text. */
export async function wordFilters(
  database: Sequelize,
  text: string,
  enough: number,
): Promise<Filter[]> {
  const filters: Filter[] = [];
  for (const word of searchedWords(text)) filters.push(await wordFilter(database, word, enough));
  return filters;
}
