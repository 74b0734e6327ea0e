import { Op, type Order, type WhereOptions } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { Post, Tag } from '../../shared/posts/tables';
import { foldedTag } from '../../shared/posts/tag';
import { tagView, type PostView, type TagView } from '../../shared/posts/views';
import { limitsOf, type Page } from '../http/requests/paging';
import type { Sort } from '../http/requests/query-rules';
import { countUpTo, withTotal, type Found } from '../reads/found';
import { dayAfter, searchPosts, type PostRange } from './post-search';
import { shownPosts } from '../../shared/posts/shown-posts';
import { searchByTags } from './tag-search';

/** What reads of posts and tags ask of the database. */

export const TAG_SORTS = ['postCount', 'name'] as const;
export type TagSort = (typeof TAG_SORTS)[number];

export async function findPost(postId: number): Promise<PostView | null> {
  const [post] = await postsInOrder([postId]);
  return post ?? null;
}

/** Returns the author of a post, who never changes. */
export async function findAuthor(postId: number): Promise<number | null> {
  const row = await Post.findByPk(postId, { attributes: ['userId'], raw: true });
  return row?.userId ?? null;
}

/** Posts in the order of these ids. One that was deleted in the meantime is left out. */
async function postsInOrder(ids: readonly number[]): Promise<PostView[]> {
  if (ids.length === 0) return [];
  const rows = await Post.findAll({ where: { id: [...ids] }, raw: true });
  const views = new Map((await shownPosts(rows)).map((post) => [post.postId, post]));
  return ids.flatMap((id) => views.get(id) ?? []);
}

export interface PostFilters extends PostRange, Page {
  /** Words that must each occur in the title or the content. */
  readonly q?: string;
}

/** Returns the condition of a range of days, and of an author. */
function inRange({ userId, from, to }: PostRange): WhereOptions {
  const tooLate = to === undefined ? null : dayAfter(to);
  const days = {
    ...(from !== undefined && { [Op.gte]: new Date(from) }),
    ...(tooLate !== null && { [Op.lt]: new Date(tooLate) }),
  };
  return {
    ...(userId !== undefined && { userId }),
    ...((from ?? tooLate) && { createdAt: days }),
  };
}

/** Posts, the newest first. */
export async function findPosts(
  database: Sequelize,
  { q, ...filters }: PostFilters,
): Promise<Found<PostView>> {
  if (q !== undefined) {
    const { items: found, ...totals } = await searchPosts(database, { q, ...filters });
    return { items: await postsInOrder(found), ...totals };
  }
  const where = inRange(filters);
  const order: Order = ['createdAt', 'id'].map((attribute) => [attribute, 'DESC']);
  const rows = await Post.findAll({
    attributes: ['id'],
    where,
    order,
    ...limitsOf(filters),
    raw: true,
  });
  const { items, ...totals } = await withTotal(
    filters,
    Array.from(rows, ({ id }) => id),
    () => countUpTo(Post, where),
  );
  return { items: await postsInOrder(items), ...totals };
}

export interface TagFilters extends Page {
  /** Tags that are asked for, tidy. */
  readonly tags: readonly string[];
  readonly match: 'all' | 'any';
  readonly exclude: readonly string[];
  readonly userId?: number;
}

interface KnownTag {
  readonly id: number;
  readonly postCount: number;
}

/**
 * Returns the existing tags of some spellings, by their folded form. A merged tag is replaced by
 * its target.
 */
async function knownTags(spellings: readonly string[]): Promise<Map<string, KnownTag>> {
  const rows = await Tag.findAll({
    where: { folded: [...new Set(spellings.map(foldedTag))] },
    raw: true,
  });
  const mergedIds = rows.flatMap(({ mergedInto }) => mergedInto ?? []);
  const targets = new Map(
    (mergedIds.length > 0 ? await Tag.findAll({ where: { id: mergedIds }, raw: true }) : []).map(
      (tag) => [tag.id, tag],
    ),
  );
  return new Map(rows.map((row) => [row.folded, targets.get(row.mergedInto ?? 0) ?? row]));
}

/** Returns each tag once, the rarest first. */
function distinct(tags: readonly KnownTag[]): number[] {
  return [...new Map(tags.map((tag) => [tag.id, tag])).values()]
    .sort((a, b) => a.postCount - b.postCount || a.id - b.id)
    .map(({ id }) => id);
}

/** How often a search is done again because a tag of it was merged meanwhile. */
const MERGES_MET_MAX = 3;

/** Posts by tags, the newest first. */
export async function findPostsByTags(
  database: Sequelize,
  { tags, match, exclude, ...filters }: TagFilters,
): Promise<Found<PostView>> {
  for (let tries = 1; ; tries += 1) {
    const known = await knownTags([...tags, ...exclude]);
    const named = (spellings: readonly string[]) =>
      spellings.flatMap((tag) => known.get(foldedTag(tag)) ?? []);
    const wanted = named(tags);
    if (wanted.length === 0 || (match === 'all' && wanted.length < tags.length))
      return { items: [], totalItems: 0 };
    const found = await searchByTags(database, {
      ...filters,
      tagIds: distinct(wanted),
      match,
      excludedIds: distinct(named(exclude)),
    });
    const result = { ...found, items: await postsInOrder(found.items) };
    const ids = [...known.values()].map(({ id }) => id);
    if (
      tries === MERGES_MET_MAX ||
      (await Tag.count({ where: { id: ids, mergedInto: { [Op.ne]: null } } })) === 0
    )
      return result;
  }
}

/** Returns the tag of a spelling, or the target of a merged tag. */
export async function findTag(name: string): Promise<TagView | null> {
  const found = await Tag.findOne({ where: { folded: foldedTag(name) }, raw: true });
  const tag = found?.mergedInto ? await Tag.findByPk(found.mergedInto, { raw: true }) : found;
  return tag && tagView(tag);
}

export interface TagListFilters extends Page {
  /** What tags begin with, tidy. */
  readonly q?: string;
  readonly sort: Sort<TagSort>;
}

/**
 * The last character of all: what begins with a text sorts between the text and the text with this
 * behind it.
 */
const LAST_CHARACTER = '\u{10FFFF}';

/** Tags that were not merged into others. */
export async function findTags({ q, sort, ...page }: TagListFilters): Promise<Found<TagView>> {
  const prefix = q === undefined ? '' : foldedTag(q);
  const where: WhereOptions = {
    mergedInto: null,
    ...(prefix && { folded: { [Op.gte]: prefix, [Op.lt]: `${prefix}${LAST_CHARACTER}` } }),
  };
  const direction = sort.descending ? 'DESC' : 'ASC';
  const order: Order = [sort.field === 'name' ? 'folded' : 'postCount', 'id'].map((attribute) => [
    attribute,
    direction,
  ]);
  const rows = await Tag.findAll({ where, order, ...limitsOf(page), raw: true });
  return withTotal(page, Array.from(rows, tagView), () => countUpTo(Tag, where));
}
