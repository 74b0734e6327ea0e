import type { Sequelize } from 'sequelize-typescript';
import { searchPosts } from '../../../../api/posts/post-search';
import { up as postWordsMigration } from '../../../../shared/database/migrations/0045-post-words';
import { Post, PostWords } from '../../../../shared/posts/tables';
import { SearchEnding, SearchWord } from '../../../../shared/search/tables';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';
import { planOf, statementsOf } from '../../../support/servers/plans';

/**
 * 5,000 posts: "common" is in all of them, "half" in every second, "rare7" in one. The rows of the
 * search are made by the migration.
 */

const POSTS = 5000;

describe.each(DIALECTS)('posts that were there before they were searched, on %s', (dialect) => {
  let database: Sequelize;
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
    await Post.bulkCreate(
      Array.from({ length: POSTS }, (_, index) => ({
        ...{ id: index + 1, userId: 1 + (index % 7), title: 'Common', tags: '[]' },
        content: `rare${index + 1} ${index % 2 ? 'half' : 'other'}`,
        createdAt: new Date(Date.UTC(2024, 0, 1) + Math.floor(index / 10) * 3600_000),
      })),
    );
    await postWordsMigration(database.getQueryInterface());
  }, 120_000);

  const search = (q: string, more: object = {}) =>
    searchPosts(database, { q, page: 1, size: 3, ...more });

  it('are found by a rare word, and by common ones, the newest first', async () => {
    expect(await search('RARE4321')).toEqual({ items: [4321], totalItems: 1 });
    expect(await search('half common')).toEqual({ items: [5000, 4998, 4996], totalItems: 2500 });
    expect(await search('half rare77')).toEqual({
      items: [778, 776, 774],
      totalItems: 5,
    });
    expect((await search('common', { page: 1667 })).items).toEqual([2, 1]);
    expect(await search('common', { userId: 3, to: '2024-01-01' })).toMatchObject({
      items: [234, 227, 220],
      totalItems: 34,
    });
  });

  it('cost a page of common words no more than the page: no sorting, by indexes', async () => {
    const statements = await statementsOf(database, () => search('half common'));
    const [page = ''] = statements.filter((sql) => sql.startsWith('SELECT p.id FROM post p'));
    expect((await planOf(database, page)).join()).not.toMatch(/TEMP B-TREE|filesort|temporary/);
    expect((await planOf(database, page)).join()).toMatch(/post_created_at/);
  });

  it('are not doubled when the migration is run again', async () => {
    const counts = () => Promise.all([PostWords.count(), SearchWord.count(), SearchEnding.count()]);
    const before = await counts();
    await postWordsMigration(database.getQueryInterface());
    expect(await counts()).toEqual(before);
    expect(before[0]).toBe(POSTS);
  });
});
