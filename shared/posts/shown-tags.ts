import { distinctTags, foldedTag } from './tag';

/**
 * Which tags a post shows: its author's spellings of the tags that it carries, in their order. A
 * name that its tag no longer has is shown as the tag's name, and one of a deleted tag not at all.
 */

/**
 * The names of the tags that a post carries, folded. The value is what is shown instead of the
 * author's spelling, null for the spelling itself.
 */
export type CarriedNames = ReadonlyMap<string, string | null>;

export const shownTags = (spellings: readonly string[], names: CarriedNames): string[] =>
  distinctTags(
    spellings.flatMap((spelling) => {
      const shown = names.get(foldedTag(spelling));
      return shown === undefined ? [] : [shown ?? spelling];
    }),
  );

/** A name of a tag that a post carries, as `carriedNamesSql` selects it. */
export interface CarriedNameRow {
  readonly post_id: number;
  /** The stored spellings, as JSON. */
  readonly tags: string;
  /** Null for a post without tags. */
  readonly folded: string | null;
  readonly shown: string | null;
}

/** Selects the names of the tags that posts carry; `posts`: a list of ids in SQL, bound twice. */
export const carriedNamesSql = (posts: string): string =>
  `SELECT p.id AS post_id, p.tags, t.folded, NULL AS shown FROM post p LEFT JOIN post_tag l ON l.post_id = p.id LEFT JOIN tag t ON t.id = l.tag_id WHERE p.id IN (${posts})
   UNION ALL SELECT p.id, p.tags, s.folded, CASE WHEN s.renamed = 1 THEN t.name END FROM post p JOIN post_tag l ON l.post_id = p.id JOIN tag t ON t.id = l.tag_id JOIN tag s ON s.merged_into = t.id WHERE p.id IN (${posts})`;

/** The names by post, of every post that was asked for and is there. */
export function carriedNames(
  rows: readonly CarriedNameRow[],
): Map<number, Map<string, string | null>> {
  const names = new Map<number, Map<string, string | null>>();
  for (const { post_id: postId, folded, shown } of rows) {
    const ofPost = names.get(postId) ?? new Map<string, string | null>();
    if (folded !== null) ofPost.set(folded, shown);
    names.set(postId, ofPost);
  }
  return names;
}
