import type { Sequelize } from 'sequelize-typescript';
import {
  findPosts,
  findPostsByTags,
  findTags,
  type TagFilters,
} from '../../../../api/posts/queries';
import { findRelatedTags, relatedTagsSql } from '../../../../api/posts/related-tags';
import { tagSearchSql, type TagSearch } from '../../../../api/posts/tag-search';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';
import { planOf, scans, statementsOf } from '../../../support/servers/plans';

/**
 * 40,000 posts with 10,000 tags, skewed as tags are: tag n is on one post in n, roughly. The two
 * most popular are on every second and every third post, and the rarest on a few.
 */

const POSTS = 40_000;
const TAGS = 10_000;
const USERS = 1000;
const PER_INSERT = 2000;

/**
 * The tags of a post: the two popular ones by its number, three more of falling popularity, and
 * sometimes a rare one.
 */
function tagIdsOf(post: number): number[] {
  const some = [1, 2, 3].map(
    (round) => 3 + (Math.floor(TAGS ** (((post * 7919 * round) % 9973) / 9973)) % (TAGS - 3)),
  );
  return [
    ...new Set([
      ...(post % 2 === 0 ? [1] : []),
      ...(post % 3 === 0 ? [2] : []),
      ...some,
      ...(post % 10 === 0 ? [3 + ((post / 10) % (TAGS - 3))] : []),
    ]),
  ];
}

const userOf = (post: number): number => (post % 5 === 0 ? 1 : 1 + (post % USERS));
/** Ten posts share each instant, so that the order needs the id. */
const createdAt = (post: number): string =>
  new Date(Date.UTC(2024, 0, 1) + Math.floor(post / 10) * 1000)
    .toISOString()
    .replace('T', ' ')
    .replace('Z', '');

async function insertRows(
  database: Sequelize,
  into: string,
  rows: readonly string[],
): Promise<void> {
  for (let start = 0; start < rows.length; start += PER_INSERT)
    await database.query(
      `INSERT INTO ${into} VALUES ${rows.slice(start, start + PER_INSERT).join(', ')}`,
    );
}

interface Expected {
  readonly id: number;
  readonly tagIds: ReadonlySet<number>;
}

async function fill(database: Sequelize): Promise<Expected[]> {
  const zone = database.getDialect() === 'sqlite' ? ' +00:00' : '';
  const posts = Array.from({ length: POSTS }, (_, index) => ({
    id: index + 1,
    tagIds: new Set(tagIdsOf(index + 1)),
  }));
  const counts = new Map<number, number>();
  for (const { tagIds } of posts)
    for (const id of tagIds) counts.set(id, (counts.get(id) ?? 0) + 1);
  const tags = Array.from(
    { length: TAGS },
    (_, index) =>
      `(${index + 1}, 'Tag ${index + 1}', 'tag ${index + 1}', ${counts.get(index + 1) ?? 0})`,
  );
  const post = ({ id, tagIds }: Expected) =>
    `(${id}, ${userOf(id)}, 'Title', 'Content', '${JSON.stringify([...tagIds].map((tag) => `Tag ${tag}`))}', '${createdAt(id)}${zone}')`;
  const links = posts.flatMap(({ id, tagIds }) =>
    [...tagIds].map((tag) => `(${id}, ${tag}, ${userOf(id)}, '${createdAt(id)}${zone}')`),
  );
  await insertRows(database, 'tag (id, name, folded, post_count)', tags);
  await insertRows(
    database,
    'post (id, user_id, title, content, tags, created_at)',
    posts.map(post),
  );
  await insertRows(database, 'post_tag (post_id, tag_id, user_id, created_at)', links);
  if (database.getDialect() === 'mysql') await database.query('ANALYZE TABLE post, tag, post_tag');
  return posts;
}

/** Two tags that few posts have, and some of them both; the rarer first. */
function rarePair(): [number, number] {
  const counts = new Map<number, number>();
  const lists = Array.from({ length: POSTS }, (_, index) => tagIdsOf(index + 1));
  for (const id of lists.flat()) counts.set(id, (counts.get(id) ?? 0) + 1);
  const times = (id: number) => counts.get(id) ?? 0;
  for (const list of lists) {
    const [first, second] = list
      .filter((id) => times(id) > 1 && times(id) < 100)
      .sort((a, b) => times(a) - times(b));
    if (first && second) return [first, second];
  }
  throw new Error('no post has two rare tags');
}

describe.each(DIALECTS)('posts by tags, among many, on %s', (dialect) => {
  let database: Sequelize;
  let posts: Expected[];
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
    posts = await fill(database);
  }, 300_000);

  it('counts the tags beside a popular one in its newest posts alone, by two indexes', async () => {
    const newest = posts.filter(({ tagIds }) => tagIds.has(1)).slice(-1000);
    const counts = new Map<number, number>();
    for (const id of newest.flatMap(({ tagIds }) => [...tagIds]))
      counts.set(id, (counts.get(id) ?? 0) + 1);
    counts.delete(1);
    const expected = [...counts].sort(([a, x], [b, y]) => y - x || a - b).slice(0, 20);
    const found = await findRelatedTags(database, 1, { size: 20 });
    expect(found.map(({ tagId, together }) => [tagId, together])).toEqual(expected);
    expect(await scans(database, relatedTagsSql(1, 20, dialect === 'sqlite'))).toEqual([]);
  });

  const RARE = 3000;
  const RARE_PAIR = rarePair();
  type Search = Omit<TagSearch, 'page' | 'size'>;
  const SEARCHES: [string, Search][] = [
    ['a popular tag', { tagIds: [1], match: 'all', excludedIds: [] }],
    ['a rare tag', { tagIds: [RARE], match: 'all', excludedIds: [] }],
    ['a popular pair', { tagIds: [2, 1], match: 'all', excludedIds: [] }],
    ['a rare pair', { tagIds: RARE_PAIR, match: 'all', excludedIds: [] }],
    ['a rare and a popular tag', { tagIds: [RARE, 1], match: 'all', excludedIds: [] }],
    ['a popular pair without a third', { tagIds: [2, 1], match: 'all', excludedIds: [3, 4] }],
    [
      'a popular pair of a busy author',
      { tagIds: [2, 1], match: 'all', excludedIds: [], userId: 1 },
    ],
    [
      'a popular tag of another author, without a popular one',
      { tagIds: [1], match: 'all', excludedIds: [2], userId: 9 },
    ],
    ['any of a popular pair', { tagIds: [2, 1], match: 'any', excludedIds: [] }],
    ['any of a rare pair', { tagIds: [RARE, 2999], match: 'any', excludedIds: [] }],
    [
      'any of many, without a popular one',
      { tagIds: [RARE, 50, 7, 5, 2], match: 'any', excludedIds: [1] },
    ],
    [
      'any of a popular pair of one author',
      { tagIds: [2, 1], match: 'any', excludedIds: [7], userId: 13 },
    ],
  ];

  const expected = ({ tagIds, match, excludedIds, userId }: Search): number[] =>
    posts
      .filter((post) =>
        match === 'all'
          ? tagIds.every((id) => post.tagIds.has(id))
          : tagIds.some((id) => post.tagIds.has(id)),
      )
      .filter(
        (post) =>
          !excludedIds.some((id) => post.tagIds.has(id)) &&
          (userId === undefined || userOf(post.id) === userId),
      )
      .map(({ id }) => id)
      .reverse();

  it.each(SEARCHES)(
    '%s: each post once, in order, on every page, and by indexes alone',
    async (_name, search) => {
      const ids = expected(search);
      const filters: Omit<TagFilters, 'page' | 'size'> = {
        ...{
          tags: [...search.tagIds].reverse().map((id) => `TAG ${id}`),
          match: search.match,
          exclude: search.excludedIds.map((id) => `tag ${id}`),
        },
        ...(search.userId !== undefined && { userId: search.userId }),
      };
      for (const [page, size] of [
        [1, 100],
        [2, 7],
        [40, 25],
      ] as const) {
        const found = await findPostsByTags(database, { ...filters, page, size });
        expect(found.totalItems).toBe(ids.length);
        expect(found.items.map(({ postId }) => postId)).toEqual(
          ids.slice((page - 1) * size, page * size),
        );
        const sql = tagSearchSql({ ...search, page, size }, dialect === 'sqlite');
        expect([
          ...(await scans(database, sql.page)),
          ...(await scans(database, sql.count)),
        ]).toEqual([]);
      }
      expect(ids.length).toBeGreaterThan(0);
    },
  );

  const firstPage = async (search: Search) =>
    planOf(database, tagSearchSql({ ...search, page: 1, size: 20 }, dialect === 'sqlite').page);

  it('the first page of a popular tag, or pair, reads no more of it than it shows', async () => {
    const searches = SEARCHES.filter(
      ([, { match, userId }]) => match === 'all' && userId === undefined,
    );
    for (const [, search] of searches)
      expect((await firstPage(search)).join()).not.toMatch(/TEMP B-TREE|filesort|temporary/);
  });

  it.each(SEARCHES.filter(([name]) => /pair$/.test(name) && !/any/.test(name)))(
    '%s is read by the index of the rarer tag, and looked up for the other',
    async (_name, search) => {
      const plan = await firstPage(search);
      const expectedPlan: Record<string, RegExp[]> = {
        sqlite: [
          /^SEARCH d USING COVERING INDEX post_tag_newest /,
          /^SEARCH t0 USING .*\(post_id=\? AND tag_id=\?\)$/,
        ],
        // The few posts of a rare tag may be read as a whole for the lookup.
        mysql: [
          /^d: ref by post_tag_newest, /,
          /^t0: (eq_ref by PRIMARY|ref by post_tag_newest), \d{1,2} rows; /,
        ],
      };
      expect(plan).toEqual(expectedPlan[dialect]?.map((step) => expect.stringMatching(step)));
    },
  );

  it('lists of posts and of tags go by their indexes', async () => {
    const statements = await statementsOf(database, async () => {
      expect(
        (await findPosts(database, { page: 3, size: 2 })).items.map(({ postId }) => postId),
      ).toEqual([POSTS - 4, POSTS - 5]);
      expect((await findPosts(database, { page: 1, size: 1, userId: 7 })).totalItems).toBe(
        posts.filter(({ id }) => userOf(id) === 7).length,
      );
      const { items, totalItems } = await findTags({
        q: 'TAG 999',
        page: 1,
        size: 3,
        sort: { field: 'name', descending: false },
      });
      expect([items.map(({ name }) => name), totalItems]).toEqual([
        ['Tag 999', 'Tag 9990', 'Tag 9991'],
        11,
      ]);
      expect(
        (
          await findTags({ page: 1, size: 2, sort: { field: 'postCount', descending: true } })
        ).items.map(({ tagId }) => tagId),
      ).toEqual([1, 2]);
    });
    const found = await Promise.all(
      statements.map(async (sql) => (await scans(database, sql)).map((step) => [sql, step])),
    );
    expect(
      found.flat().filter(([, step]) => !/: index by|USING (COVERING )?INDEX/.test(step ?? '')),
    ).toEqual([]);
  });
});
