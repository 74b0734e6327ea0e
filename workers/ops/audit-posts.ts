import type { Check } from './audit-check';

const LINKS = '(SELECT tag_id, COUNT(*) AS posts FROM post_tag GROUP BY tag_id)';
/** The number of spellings that a post shows. */
const SHOWN = { sqlite: 'json_array_length(p.tags)', mysql: 'JSON_LENGTH(p.tags)' };

/** Returns what the audit recounts of posts and their tags. */
export const postChecks = (dialect: keyof typeof SHOWN): Check[] => [
  {
    sql: `SELECT t.id, t.name, t.post_count, COALESCE(l.posts, 0) AS posts FROM tag t LEFT JOIN ${LINKS} l ON l.tag_id = t.id WHERE t.post_count <> COALESCE(l.posts, 0)`,
    tell: (of) =>
      `tag ${of('id')} (${of('name')}): it counts ${of('post_count')} posts and has ${of('posts')}`,
  },
  {
    sql: `SELECT t.id, t.name, t.merged_into, l.posts FROM tag t JOIN ${LINKS} l ON l.tag_id = t.id WHERE t.merged_into IS NOT NULL`,
    tell: (of) =>
      `tag ${of('id')} (${of('name')}): it was merged into tag ${of('merged_into')} and has ${of('posts')} posts left`,
  },
  {
    sql: `SELECT t.id, t.name, t.merged_into, u.id IS NULL AS missing FROM tag t LEFT JOIN tag u ON u.id = t.merged_into
      WHERE t.merged_into IS NOT NULL AND (u.id IS NULL OR u.merged_into IS NOT NULL)`,
    tell: (of) =>
      `tag ${of('id')} (${of('name')}): it was merged into tag ${of('merged_into')}, which ${of('missing') === '1' ? 'is missing' : 'was merged itself'}`,
  },
  {
    sql: `SELECT l.post_id, l.tag_id, p.id IS NULL AS no_post, t.id IS NULL AS no_tag FROM post_tag l LEFT JOIN post p ON p.id = l.post_id LEFT JOIN tag t ON t.id = l.tag_id
      WHERE p.id IS NULL OR t.id IS NULL`,
    tell: (of) =>
      `post ${of('post_id')} under tag ${of('tag_id')}: the ${of('no_post') === '1' ? 'post' : 'tag'} is missing`,
  },
  {
    sql: 'SELECT l.post_id, l.tag_id FROM post_tag l JOIN post p ON p.id = l.post_id WHERE l.user_id <> p.user_id OR l.created_at <> p.created_at',
    tell: (of) =>
      `post ${of('post_id')} under tag ${of('tag_id')}: author or instant are not those of the post`,
  },
  {
    // Two spellings may mean one tag only where the one was merged into the other, and none only
    // where a tag was deleted.
    sql: `SELECT p.id, ${SHOWN[dialect]} AS shown, COALESCE(l.tags, 0) AS tags
      FROM post p LEFT JOIN (SELECT post_id, COUNT(*) AS tags FROM post_tag GROUP BY post_id) l ON l.post_id = p.id
      WHERE COALESCE(l.tags, 0) > ${SHOWN[dialect]} OR (COALESCE(l.tags, 0) < ${SHOWN[dialect]}
        AND NOT EXISTS (SELECT 1 FROM tag_former_name) AND NOT EXISTS (SELECT 1 FROM post_tag k JOIN tag m ON m.merged_into = k.tag_id WHERE k.post_id = p.id))`,
    tell: (of) => `post ${of('id')}: it shows ${of('shown')} tags and is found under ${of('tags')}`,
  },
];
