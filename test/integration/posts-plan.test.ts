import { join } from 'node:path';
import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { findPosts, findPostsByTags, findTags, type TagFilters } from '../../api/posts/queries';
import { tagSearchSql, type TagSearch } from '../../api/posts/tag-search';
import { connectDatabase } from '../../shared/database/connect';
import { migrate } from '../../shared/database/migrate';
import { onCleanUp, temporaryFolder } from '../support/cleanup';
import { freshDatabase } from '../support/fresh';

/**
 * 100,000 posts with 10,000 tags, skewed as tags are: tag n is on one post in n, roughly. The two most popular are on
 * every second and every third post, and the rarest on a few.
 */

const POSTS = 100_000;
const TAGS = 10_000;
const USERS = 1000;
const PER_INSERT = 2000;
/** What a search may take on a machine that others use as well, milliseconds; a scan of all tags of all posts takes longer. */
const SEARCH_MS = 1000;

const connect: Record<string, () => Promise<Sequelize>> = {
  sqlite: async () => connectDatabase({ url: join(await temporaryFolder('posts'), 'lendline.sqlite'), poolMax: 4 }),
  mysql: async () => connectDatabase({ url: await freshDatabase(), poolMax: 4 }),
};

/** The tags of a post: the two popular ones by its number, three more of falling popularity, and sometimes a rare one. */
function tagIdsOf(post: number): number[] {
  const some = [1, 2, 3].map((round) => 3 + (Math.floor(TAGS ** (((post * 7919 * round) % 9973) / 9973)) % (TAGS - 3)));
  return [...new Set([...(post % 2 === 0 ? [1] : []), ...(post % 3 === 0 ? [2] : []), ...some, ...(post % 10 === 0 ? [3 + ((post / 10) % (TAGS - 3))] : [])])];
}

const userOf = (post: number): number => (post % 5 === 0 ? 1 : 1 + (post % USERS));
/** Ten posts share each instant, so that the order needs the id. */
const createdAt = (post: number): string => new Date(Date.UTC(2024, 0, 1) + Math.floor(post / 10) * 1000).toISOString().replace('T', ' ').replace('Z', '');

async function insertRows(database: Sequelize, into: string, rows: readonly string[]): Promise<void> {
  for (let start = 0; start < rows.length; start += PER_INSERT) await database.query(`INSERT INTO ${into} VALUES ${rows.slice(start, start + PER_INSERT).join(', ')}`);
}

interface Expected {
  readonly id: number;
  readonly tagIds: ReadonlySet<number>;
}

async function fill(database: Sequelize): Promise<Expected[]> {
  const zone = database.getDialect() === 'sqlite' ? ' +00:00' : '';
  const posts = Array.from({ length: POSTS }, (_, index) => ({ id: index + 1, tagIds: new Set(tagIdsOf(index + 1)) }));
  const counts = new Map<number, number>();
  for (const { tagIds } of posts) for (const id of tagIds) counts.set(id, (counts.get(id) ?? 0) + 1);
  const tags = Array.from({ length: TAGS }, (_, index) => `(${index + 1}, 'Tag ${index + 1}', 'tag ${index + 1}', ${counts.get(index + 1) ?? 0})`);
  const post = ({ id, tagIds }: Expected) => `(${id}, ${userOf(id)}, 'Title', 'Content', '${JSON.stringify([...tagIds].map((tag) => `Tag ${tag}`))}', '${createdAt(id)}${zone}')`;
  const links = posts.flatMap(({ id, tagIds }) => [...tagIds].map((tag) => `(${id}, ${tag}, ${userOf(id)}, '${createdAt(id)}${zone}')`));
  await insertRows(database, 'tag (id, name, folded, post_count)', tags);
  await insertRows(database, 'post (id, user_id, title, content, tags, created_at)', posts.map(post));
  await insertRows(database, 'post_tag (post_id, tag_id, user_id, created_at)', links);
  if (database.getDialect() === 'mysql') await database.query('ANALYZE TABLE post, tag, post_tag');
  return posts;
}

/** What is wrong with a plan: tables that are read from end to end, or without an index. */
async function scans(database: Sequelize, sql: string): Promise<string[]> {
  if (database.getDialect() === 'sqlite') {
    const steps = await database.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, { type: QueryTypes.SELECT });
    // A subquery is scanned, after the search that made its rows.
    return steps.map(({ detail }) => detail).filter((detail) => /^SCAN (?!s\d|u\b|\(|[0-9])/.test(detail) || (/^SEARCH/.test(detail) && !/USING/.test(detail)));
  }
  const steps = await database.query<{ table: string | null; type: string | null; key: string | null }>(`EXPLAIN ${sql}`, { type: QueryTypes.SELECT });
  const real = steps.filter(({ table }) => table !== null && !table.startsWith('<'));
  return real.filter(({ type, key }) => type === 'ALL' || type === 'index' || key === null).map((step) => JSON.stringify(step));
}

describe.each(Object.keys(connect))('posts by tags, among many, on %s', (dialect) => {
  let database: Sequelize;
  let posts: Expected[];
  beforeAll(async () => {
    database = await (connect[dialect] as () => Promise<Sequelize>)();
    const connected = database;
    onCleanUp(() => connected.close());
    await migrate(database);
    posts = await fill(database);
  }, 300_000);

  const RARE = 9000;
  type Search = Omit<TagSearch, 'page' | 'size'>;
  const SEARCHES: [string, Search][] = [
    ['a popular tag', { tagIds: [1], match: 'all', excludedIds: [] }],
    ['a rare tag', { tagIds: [RARE], match: 'all', excludedIds: [] }],
    ['a popular pair', { tagIds: [2, 1], match: 'all', excludedIds: [] }],
    ['a rare and a popular tag', { tagIds: [RARE, 1], match: 'all', excludedIds: [] }],
    ['a popular pair without a third', { tagIds: [2, 1], match: 'all', excludedIds: [3, 4] }],
    ['a popular pair of a busy author', { tagIds: [2, 1], match: 'all', excludedIds: [], userId: 1 }],
    ['a popular tag of another author, without a popular one', { tagIds: [1], match: 'all', excludedIds: [2], userId: 9 }],
    ['any of a popular pair', { tagIds: [2, 1], match: 'any', excludedIds: [] }],
    ['any of a rare pair', { tagIds: [RARE, 8999], match: 'any', excludedIds: [] }],
    ['any of many, without a popular one', { tagIds: [RARE, 50, 7, 5, 2], match: 'any', excludedIds: [1] }],
    ['any of a popular pair of one author', { tagIds: [2, 1], match: 'any', excludedIds: [7], userId: 13 }],
  ];

  const expected = ({ tagIds, match, excludedIds, userId }: Search): number[] =>
    posts
      .filter((post) => (match === 'all' ? tagIds.every((id) => post.tagIds.has(id)) : tagIds.some((id) => post.tagIds.has(id))))
      .filter((post) => !excludedIds.some((id) => post.tagIds.has(id)) && (userId === undefined || userOf(post.id) === userId))
      .map(({ id }) => id)
      .reverse();

  it.each(SEARCHES)('%s: each post once, in order, on every page, and by indexes alone', async (_name, search) => {
    const ids = expected(search);
    const filters: Omit<TagFilters, 'page' | 'size'> = {
      ...{ tags: [...search.tagIds].reverse().map((id) => `TAG ${id}`), match: search.match, exclude: search.excludedIds.map((id) => `tag ${id}`) },
      ...(search.userId !== undefined && { userId: search.userId }),
    };
    for (const [page, size] of [[1, 100], [2, 7], [40, 25]] as const) {
      const begun = performance.now();
      const found = await findPostsByTags(database, { ...filters, page, size });
      const tookMs = performance.now() - begun;
      expect(found.totalItems).toBe(ids.length);
      expect(found.items.map(({ postId }) => postId)).toEqual(ids.slice((page - 1) * size, page * size));
      expect(tookMs).toBeLessThan(SEARCH_MS);
      const sql = tagSearchSql({ ...search, page, size }, dialect === 'sqlite');
      expect([...(await scans(database, sql.page)), ...(await scans(database, sql.count))]).toEqual([]);
    }
    expect(ids.length).toBeGreaterThan(0);
  });

  it('the first page of a popular tag, or pair, reads no more of it than it shows', async () => {
    const plan = async (search: Search) => {
      const { page } = tagSearchSql({ ...search, page: 1, size: 20 }, dialect === 'sqlite');
      const steps = await database.query<Record<string, unknown>>(`EXPLAIN ${dialect === 'sqlite' ? 'QUERY PLAN ' : ''}${page}`, { type: QueryTypes.SELECT });
      return JSON.stringify(steps);
    };
    for (const [, search] of SEARCHES.filter(([, { match, userId }]) => match === 'all' && userId === undefined)) expect(await plan(search)).not.toMatch(/TEMP B-TREE|filesort|temporary/);
    expect(await plan({ tagIds: [2, 1], match: 'all', excludedIds: [] })).toContain('post_tag_newest');
  });

  it('lists of posts and of tags go by their indexes', async () => {
    const statements: string[] = [];
    database.options.logging = (sql) => statements.push(sql.replace(/^Executing \([^)]*\): /, '').replace(/;$/, ''));
    try {
      expect((await findPosts({ page: 3, size: 2 })).items.map(({ postId }) => postId)).toEqual([POSTS - 4, POSTS - 5]);
      expect((await findPosts({ page: 1, size: 1, userId: 7 })).totalItems).toBe(posts.filter(({ id }) => userOf(id) === 7).length);
      const { items, totalItems } = await findTags({ q: 'TAG 999', page: 1, size: 3, sort: { field: 'name', descending: false } });
      expect([items.map(({ name }) => name), totalItems]).toEqual([['Tag 999', 'Tag 9990', 'Tag 9991'], 11]);
      expect((await findTags({ page: 1, size: 2, sort: { field: 'postCount', descending: true } })).items.map(({ tagId }) => tagId)).toEqual([1, 2]);
    } finally {
      database.options.logging = false;
    }
    // The number of all posts is the length of an index.
    const found = await Promise.all(statements.filter((sql) => !/^SELECT count\(\*\).*FROM `post` AS `Post`$/.test(sql)).map(async (sql) => (await scans(database, sql)).map((step) => [sql, step])));
    expect(found.flat().filter(([, step]) => !/"type":"index"|USING (COVERING )?INDEX/.test(step ?? ''))).toEqual([]);
  });
});
