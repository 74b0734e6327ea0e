import { distinctTags, foldedTag } from './tag';

/**
 * Which tags of a post are displayed: the author's spellings, in their order. A former name is
 * replaced by the tag's name, and a deleted tag is left out.
 */

/**
 * The folded names of a post's tags. The value is displayed instead of the author's spelling. Null
 * keeps the spelling.
 */
export type CarriedNames = ReadonlyMap<string, string | null>;

export const shownTags = (spellings: readonly string[], names: CarriedNames): string[] =>
  distinctTags(
    spellings.flatMap((spelling) => {
      const shown = names.get(foldedTag(spelling));
      return shown === undefined ? [] : [shown ?? spelling];
    }),
  );

/** A name of a post's tag, as `carriedNamesSql` selects it. */
export interface CarriedNameRow {
  readonly post_id: number;
  /** The stored spellings, as JSON. */
  readonly tags: string;
  /** Null for a post without tags. */
  readonly folded: string | null;
  readonly shown: string | null;
}

/** Selects the names of posts' tags. `posts`: a list of ids in SQL, bound twice. */
export const carriedNamesSql = (posts: string): string =>
  `SELECT p.id AS post_id, p.tags, t.folded, NULL AS shown FROM post p LEFT JOIN post_tag l ON l.post_id = p.id LEFT JOIN tag t ON t.id = l.tag_id WHERE p.id IN (${posts})
   UNION ALL SELECT p.id, p.tags, s.folded, CASE WHEN s.renamed = 1 THEN t.name END FROM post p JOIN post_tag l ON l.post_id = p.id JOIN tag t ON t.id = l.tag_id JOIN tag s ON s.merged_into = t.id WHERE p.id IN (${posts})`;

/** Returns the names by post, for every existing post of the list. */
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
