import { QueryTypes } from 'sequelize';
import { Post, TagFormerName } from './tables';
import { carriedNames, carriedNamesSql, shownTags, type CarriedNameRow } from './shown-tags';
import { foldedTag } from './tag';
import { postView, type PostView } from './views';

/**
 * Posts as they are displayed. Renaming or deleting a tag leaves the rows of its posts alone, so
 * the tags of a post with a former name are looked up.
 */

/**
 * A post as both dialects return it without an object of Sequelize. SQLite stores instants as text.
 */
export type StoredPost = Pick<Post, 'id' | 'userId' | 'title' | 'content' | 'tags'> & {
  readonly createdAt: Date | string;
};

/** How often posts are read again when they changed between two reads. */
const CHANGES_MET_MAX = 3;

const spellingsOf = ({ tags }: Pick<StoredPost, 'tags'>): string[] => JSON.parse(tags) as string[];

/** Returns the posts that have a former name of a tag. */
async function withFormerNames(rows: readonly StoredPost[]): Promise<StoredPost[]> {
  const folded = new Set(rows.flatMap(spellingsOf).map(foldedTag));
  if (folded.size === 0) return [];
  const found = await TagFormerName.findAll({ where: { folded: [...folded] }, raw: true });
  if (found.length === 0) return [];
  const former = new Set(Array.from(found, (name) => name.folded));
  return rows.filter((row) => spellingsOf(row).some((tag) => former.has(foldedTag(tag))));
}

/**
 * Looks up the displayed tags of posts, by id, and which posts changed or vanished since they were
 * read.
 */
async function lookUp(rows: readonly StoredPost[]) {
  const ids = rows.map(({ id }) => id);
  const found = await TagFormerName.sequelize?.query<CarriedNameRow>(carriedNamesSql(':ids'), {
    replacements: { ids },
    type: QueryTypes.SELECT,
  });
  const names = carriedNames(found ?? []);
  const stored = new Map(found?.map((row) => [row.post_id, row.tags]));
  return {
    shown: new Map(
      rows.map((row) => [row.id, shownTags(spellingsOf(row), names.get(row.id) ?? new Map())]),
    ),
    changed: new Set(rows.filter(({ id, tags }) => stored.get(id) !== tags).map(({ id }) => id)),
  };
}

export async function shownPosts(rows: readonly StoredPost[], tries = 1): Promise<PostView[]> {
  const odd = await withFormerNames(rows);
  const { shown, changed } =
    odd.length > 0
      ? await lookUp(odd)
      : { shown: new Map<number, string[]>(), changed: new Set<number>() };
  const again = new Map<number, PostView>();
  if (changed.size > 0 && tries < CHANGES_MET_MAX) {
    const rowsNow = await Post.findAll({ where: { id: [...changed] }, raw: true });
    for (const post of await shownPosts(rowsNow, tries + 1)) again.set(post.postId, post);
  }
  return rows.flatMap((row) => {
    if (changed.has(row.id) && tries < CHANGES_MET_MAX) return again.get(row.id) ?? [];
    const tags = shown.get(row.id) ?? spellingsOf(row);
    return [postView({ ...row, tags, createdAt: new Date(row.createdAt) })];
  });
}
