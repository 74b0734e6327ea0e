import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { partsOf, type WordKind } from '../../shared/search/words';
import { havingPart } from '../reads/word-index';

/**
 * A filter of a search has a condition in SQL that holds for exactly the titles that are meant.
 * Where an index helps, it also has queries for the ids of few more than those.
 */

/** Parts of a text that are tried before it counts as found everywhere. */
const PARTS_TRIED_MAX = 3;

/** A filter over `BookInfo`. */
export interface Filter {
  readonly condition: string;
  /**
   * Queries of one column, `id`, which together find every title that the condition holds for, and
   * maybe others; null when no index does.
   */
  readonly sources: readonly string[] | null;
  /** They find exactly the titles that the condition holds for, and none that is deleted. */
  readonly exact?: boolean;
  /** How many ids they find, where that was counted already. */
  readonly found?: number;
}

/**
 * Returns the ids that the queries find together, at most `max`. Each query is limited by itself,
 * so that none runs to its end first.
 */
export function together(sources: readonly string[], max: number): string {
  const limit = `LIMIT ${max}`;
  const [only, ...more] = sources;
  if (only === undefined) return 'SELECT id FROM book_info WHERE FALSE';
  if (more.length === 0) return `${only} ${limit}`;
  return `${sources.map((source) => `SELECT id FROM (${source} ${limit}) s`).join(' UNION ')} ${limit}`;
}

/**
 * Returns how many ids the queries find together, at most `max`. An id that several find counts
 * once.
 */
export async function countSources(
  database: Sequelize,
  sources: readonly string[],
  max: number,
): Promise<number> {
  if (sources.length === 0) return 0;
  const [row] = await database.query<{ found: number }>(
    `SELECT COUNT(*) AS found FROM (${together(sources, max)}) f`,
    { type: QueryTypes.SELECT },
  );
  return Number(row?.found);
}

/**
 * Returns the query for the rarest tried part of a text, and its number of ids. Null for a text
 * that is too short.
 */
export async function havingText(
  database: Sequelize,
  kind: WordKind,
  text: string,
  enough: number,
): Promise<{ source: string; found: number } | null> {
  let best: { source: string; found: number } | null = null;
  for (const part of partsOf(kind, text).slice(0, PARTS_TRIED_MAX)) {
    const source = havingPart(database, kind, part);
    const found = await countSources(database, [source], enough);
    if (!best || found < best.found) best = { source, found };
    if (found < enough) break;
  }
  return best;
}

/** Returns the condition that any of the filters holds. */
export function anyOf(parts: readonly Filter[]): Filter {
  return {
    condition: `(${parts.map((part) => part.condition).join(' OR ')})`,
    sources: parts.some(({ sources }) => sources === null)
      ? null
      : parts.flatMap(({ sources }) => sources ?? []),
    exact: parts.every(({ exact }) => exact),
  };
}
