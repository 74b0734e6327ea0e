import { Op } from 'sequelize';
import { Course, UserCourse } from '../../shared/courses/tables';
import { behind, inPages, type ExportPart } from '../export/part';
import {
  courseAttributes,
  shownCourse,
  subscriptionAttributes,
  takenCourseOf,
  withCourse,
  withLecturer,
} from './queries';
import type { StoredCourse, StoredSubscription } from './queries';
import { course, takenCourse } from './schemas';

/** What courses have of a person: those that they take, and those that they teach. */
export const coursesExport: readonly ExportPart[] = [
  {
    name: 'subscriptions',
    schema: takenCourse,
    rows: (userId) =>
      inPages(async (limit, last: StoredSubscription | undefined) => {
        const where = { [Op.and]: [{ userId }, behind('createdAt', last)] };
        const rows = await UserCourse.findAll({
          attributes: subscriptionAttributes,
          include: withCourse,
          where,
          order: ['createdAt', 'id'],
          limit,
          raw: true,
        });
        return rows as unknown as StoredSubscription[];
      }, takenCourseOf),
  },
  {
    name: 'courses',
    schema: course,
    rows: (userId) =>
      inPages(async (limit, last: StoredCourse | undefined) => {
        const where = { userId, id: { [Op.gt]: last?.id ?? 0 } };
        const rows = await Course.findAll({
          attributes: courseAttributes,
          include: withLecturer,
          where,
          order: ['id'],
          limit,
          raw: true,
        });
        return rows as unknown as StoredCourse[];
      }, shownCourse),
  },
];
