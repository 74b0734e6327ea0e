import type { QueryInterface } from 'sequelize';
import { createTable, dialectOf, seedIds } from './dialect';

/**
 * Creates the tables of posts and tags. A writer first changes the count of a tag, and so locks its
 * row. Checks on the count stop a writer that does not know that the tag was merged.
 */
export async function up(query: QueryInterface): Promise<void> {
  const { id, instant, longText, text } = dialectOf(query);
  await createTable(query, {
    name: 'post',
    columns: [
      `id ${id}`,
      'user_id BIGINT NOT NULL',
      `title ${text(255)} NOT NULL`,
      `content ${longText} NOT NULL`,
      `tags ${longText} NOT NULL`,
      `created_at ${instant} NOT NULL`,
    ],
    index: { post_created_at: 'created_at, id', post_user: 'user_id, created_at, id' },
  });
  await createTable(query, {
    name: 'tag',
    columns: [
      `id ${id}`,
      `name ${text(50)} NOT NULL`,
      `folded ${text(150)} NOT NULL`,
      'post_count BIGINT NOT NULL DEFAULT 0',
      'merged_into BIGINT NULL',
      'CONSTRAINT tag_post_count CHECK (post_count >= 0)',
      'CONSTRAINT tag_merged_is_empty CHECK (merged_into IS NULL OR post_count = 0)',
      'CONSTRAINT tag_merged_into FOREIGN KEY (merged_into) REFERENCES tag (id)',
    ],
    unique: { tag_folded: 'folded' },
    index: { tag_merged_into: 'merged_into, post_count, id' },
  });
  await createTable(query, {
    name: 'post_tag',
    columns: [
      'post_id BIGINT NOT NULL',
      'tag_id BIGINT NOT NULL',
      'user_id BIGINT NOT NULL',
      `created_at ${instant} NOT NULL`,
      'PRIMARY KEY (post_id, tag_id)',
      'CONSTRAINT post_tag_post FOREIGN KEY (post_id) REFERENCES post (id)',
      'CONSTRAINT post_tag_tag FOREIGN KEY (tag_id) REFERENCES tag (id)',
    ],
    index: {
      post_tag_newest: 'tag_id, created_at, post_id',
      post_tag_author: 'tag_id, user_id, created_at, post_id',
    },
  });
  await seedIds(query, ['post', 'tag']);
}
