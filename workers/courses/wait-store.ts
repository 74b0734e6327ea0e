import { CourseWait } from '../../shared/courses/tables';
import type { Read } from '../batch/service/state-plan';
import { insert, placeholders, tuplesIn } from '../batch/sql/statements';
import type { Statement } from '../batch/sql/transaction';
import type { Wanted } from './needs';
import { personOf, SUBSCRIPTION_COLUMNS, subscriptionOf, waitOf } from './rows';
import type { Wait } from './changes';
import type { CoursesState } from './state';

/** Reads and writes the waits of a batch. */

/** Each wait with its user, and their former subscription. */
const WAITS = `SELECT w.id AS wait_id, w.user_id AS wait_user_id, w.course_id AS wait_course_id, w.place_no, w.created_at AS waits_since,
  u.username, u.role, u.erased_at, ${SUBSCRIPTION_COLUMNS}
  FROM course_waitlist w JOIN \`user\` u ON u.id = w.user_id LEFT JOIN user_courses s ON s.user_id = w.user_id AND s.course_id = w.course_id`;

const apply: Read<CoursesState>['apply'] = (rows, state) => {
  state.load({
    waits: rows.map(waitOf),
    users: rows.map((row) => personOf({ ...row, id: row.wait_user_id })),
    subscriptions: rows.filter(({ id }) => id !== null).map(subscriptionOf),
  });
};

/** Selects the ids at the head of each line, as many as may get a seat. One SELECT for all. */
export function lineHeads(lines: ReadonlyMap<number, number>): Statement {
  const one =
    'SELECT * FROM (SELECT id FROM course_waitlist WHERE course_id = ? ORDER BY place_no LIMIT ?) l';
  return { sql: [...lines].map(() => one).join(' UNION ALL '), values: [...lines].flat() };
}

/**
 * Returns the reads of waits. `lockRows`: keeps users from being erased before their seat is
 * committed.
 */
export function waitReads(
  { lines, waits, tails }: Wanted,
  lockRows: boolean,
): Read<CoursesState>[] {
  const reads: Read<CoursesState>[] = [];
  const lock = lockRows ? ' ORDER BY u.id LOCK IN SHARE MODE' : '';
  if (lines.size > 0) {
    const { sql, values } = lineHeads(lines);
    reads.push({
      statement: { sql: `${WAITS} JOIN (${sql}) h ON h.id = w.id${lock}`, values },
      apply,
    });
  }
  if (waits.size > 0) {
    const pairs = [...waits.values()];
    const where = tuplesIn(CourseWait, ['w.user_id', 'w.course_id'], pairs.length);
    reads.push({ statement: { sql: `${WAITS} WHERE ${where}`, values: pairs.flat() }, apply });
  }
  if (tails.size > 0) {
    reads.push({
      statement: {
        sql: `SELECT course_id, MAX(place_no) AS last_place FROM course_waitlist WHERE course_id IN (${placeholders(tails.size)}) GROUP BY course_id`,
        values: [...tails],
      },
      apply: (rows, state) => {
        for (const row of rows)
          state.waitlists.loadLastPlace(Number(row.course_id), Number(row.last_place));
      },
    });
  }
  return reads;
}

const waitRow = ({ id, courseId, userId, placeNo, createdAt }: Wait) => ({
  id,
  courseId,
  userId,
  placeNo,
  createdAt,
});

/** Returns the writes of waits. Deletions make room for insertions. */
export function waitWrites({
  deleted,
  inserted,
}: {
  readonly deleted: readonly Wait[];
  readonly inserted: readonly Wait[];
}): Statement[] {
  const gone = deleted.map(({ id }) => id);
  const deletion = {
    sql: `DELETE FROM course_waitlist WHERE id IN (${placeholders(gone.length)})`,
    values: gone,
  };
  return [...(gone.length > 0 ? [deletion] : []), ...insert(CourseWait, inserted.map(waitRow))];
}
