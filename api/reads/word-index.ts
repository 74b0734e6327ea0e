import type { Sequelize } from 'sequelize-typescript';
import { endOfRange, type WordKind } from '../../shared/search/words';

/** The index of words, as SQL asks it: see `shared/search/words.ts`. */

/** Joins so that the optimizer must begin on the left, each dialect in its own word. */
export const leadsTo = (database: Sequelize): string =>
  database.getDialect() === 'sqlite' ? 'CROSS JOIN' : 'STRAIGHT_JOIN';

/**
 * Ids of what has a word in which `part` stands: a range of endings, and with each the rows of its
 * word.
 */
export function havingPart(database: Sequelize, kind: WordKind, part: string): string {
  const end = endOfRange(part);
  const range = `e.ending >= ${database.escape(part)}${end === null ? '' : ` AND e.ending < ${database.escape(end)}`}`;
  return `SELECT DISTINCT w.id FROM search_ending e ${leadsTo(database)} search_word w ON w.kind = e.kind AND w.word = e.word WHERE e.kind = '${kind}' AND ${range}`;
}
