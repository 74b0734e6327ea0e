import type { Sequelize } from 'sequelize-typescript';
import { listHeaders, type Page } from '../../../../api/http/requests/paging';
import { searchTitles } from '../../../../api/lending/title-search';
import { findPosts, findTags } from '../../../../api/posts/queries';
import { TOTAL_MAX, type Found } from '../../../../api/reads/found';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';

/** Lists that are longer than is counted. */

const LENGTH = TOTAL_MAX + 101;
const SIZE = 100;
const ROWS_AT_A_TIME = 2000;

describe.each(DIALECTS)('a list of more than 10,000 on %s', (dialect) => {
  let database: Sequelize;
  const insert = async (into: string, row: (id: number) => string) => {
    for (let start = 1; start <= LENGTH; start += ROWS_AT_A_TIME) {
      const ids = Array.from(
        { length: Math.min(ROWS_AT_A_TIME, LENGTH - start + 1) },
        (_, index) => start + index,
      );
      await database.query(`INSERT INTO ${into} VALUES ${ids.map(row).join(', ')}`);
    }
  };
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
    const instant = `'2026-01-01 00:00:00.000${dialect === 'sqlite' ? ' +00:00' : ''}'`;
    await insert(
      'tag (id, name, folded, post_count)',
      (id) => `(${id}, 'tag ${id}', 'tag ${id}', 0)`,
    );
    await insert(
      'post (id, user_id, title, content, tags, created_at)',
      (id) => `(${id}, 1, 'Title', 'Content', '[]', ${instant})`,
    );
    await database.query(`INSERT INTO author (id, name, search_name) VALUES (1, 'a', 'a')`);
    await insert(
      'book_info (id, book_title, book_bookAuthor, search_title, created_at, modified_at)',
      (id) => `(${id}, 't', 1, 't', ${instant}, ${instant})`,
    );
  });

  const lists: Record<string, (page: Page) => Promise<Found<unknown>>> = {
    tags: (page) => findTags({ ...page, sort: { field: 'name', descending: false } }),
    posts: (page) => findPosts(database, page),
    titles: (page) =>
      searchTitles(database, { ...page, sort: { field: 'createdAt', descending: true } }),
  };
  const next = (found: Found<unknown>, page: Page) =>
    /page=(\d+)[^>]*>; rel="next"/.exec(listHeaders('/list', page, found).Link ?? '')?.[1];

  it.each(Object.keys(lists))(
    'links from page to page to its end, and no further: %s',
    async (name) => {
      const find = lists[name] as (page: Page) => Promise<Found<unknown>>;
      let [page, seen] = [TOTAL_MAX / SIZE, 0];
      for (;;) {
        const found = await find({ page, size: SIZE });
        seen += found.items.length;
        const to = next(found, { page, size: SIZE });
        if (to === undefined) break;
        expect(page).toBeLessThan(LENGTH);
        page = Number(to);
      }
      expect(seen).toBe(LENGTH - TOTAL_MAX + SIZE);
      expect(
        next(await find({ page: 1000, size: SIZE }), { page: 1000, size: SIZE }),
      ).toBeUndefined();
    },
  );
});
