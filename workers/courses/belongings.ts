import { courseKey } from '../../shared/courses/commands';
import type { BelongingsRead } from '../batch/service/belongings';

/** What an erased user leaves in courses. A completed course stays in their history. */

/** Each subscription is cancelled in the queue of its course, which counts its seats. */
const subscriptions: BelongingsRead = {
  statement: (userId) => ({
    sql: "SELECT course_id FROM user_courses WHERE user_id = ? AND status = 'in_progress' ORDER BY id",
    values: [userId],
  }),
  of: (rows, userId) => ({
    followUps: rows.map((row) => {
      const courseId = Number(row.course_id);
      return {
        type: 'courses.cancel-subscription',
        key: courseKey(courseId),
        payload: { courseId, userId },
      };
    }),
  }),
};

/** Each wait is ended in the queue of its course, which keeps the line. */
const waits: BelongingsRead = {
  statement: (userId) => ({
    sql: 'SELECT course_id FROM course_waitlist WHERE user_id = ? ORDER BY id',
    values: [userId],
  }),
  of: (rows, userId) => ({
    followUps: rows.map((row) => {
      const courseId = Number(row.course_id);
      return {
        type: 'courses.leave-waitlist',
        key: courseKey(courseId),
        payload: { courseId, userId },
      };
    }),
  }),
};

export const coursesBelongings: readonly BelongingsRead[] = [subscriptions, waits];
