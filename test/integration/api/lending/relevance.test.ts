import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { searchTitles } from '../../../../api/lending/title-search';
import type { BookInfoView } from '../../../../shared/lending/views';
import { fillCatalogue } from '../../../support/fixtures/catalogue';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';

/**
 * Searches as people type them, written down before any result was looked at, each with the book
 * that is meant: the beginning of its title and a part of the author's name.
 */

const RIGHT_MIN = 95;

const rowsOf = (name: string): string[][] =>
  readFileSync(join(__dirname, `../../../support/fixtures/${name}.tsv`), 'utf8')
    .trim()
    .split('\n')
    .map((row) => row.split('\t'));

/** The most borrowed first. */
const books = rowsOf('catalogue').map(([title = '', author = ''], index, { length }) => {
  return { title, author, borrows: length - index };
});

const isMeant = (found: BookInfoView | undefined, title: string, author: string): boolean =>
  found !== undefined &&
  found.title.toLowerCase().startsWith(title.toLowerCase()) &&
  found.author.includes(author);

it.each(DIALECTS)(
  `finds the book that a reader means at the first place in ${RIGHT_MIN} of 100 searches on %s`,
  async (dialect) => {
    const database = await emptyDatabase(dialect);
    await fillCatalogue(books);
    const searches = rowsOf('searches');
    expect(searches).toHaveLength(100);
    const wrong: string[] = [];
    for (const [q = '', title = '', author = ''] of searches) {
      const sort = { field: 'relevance', descending: false } as const;
      const [first] = (await searchTitles(database, { q, sort, page: 1, size: 1 })).items;
      if (!isMeant(first, title, author)) wrong.push(`${q}: ${first?.title ?? 'nothing'}`);
    }
    if (wrong.length > searches.length - RIGHT_MIN) expect(wrong).toEqual([]);
  },
  120_000,
);
