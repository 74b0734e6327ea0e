import { Op } from 'sequelize';
import { Course, CourseWait, UserCourse, VideoCompletion } from '../../shared/courses/tables';
import { behind, inPages, type ExportPart } from '../export/part';
import {
  courseAttributes,
  shownCourse,
  subscriptionAttributes,
  takenCourseOf,
  withCourse,
  withLecturer,
  type StoredCourse,
  type StoredSubscription,
} from './rows';
import { course, ownCompletion, ownWait, takenCourse } from './schemas';

type OwnWait = Pick<CourseWait, 'courseId' | 'createdAt'>;
type OwnCompletion = Pick<VideoCompletion, 'courseId' | 'videoId' | 'completedAt'>;

/** What courses have about a person: those that they take, and those that they teach. */
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
    name: 'waits',
    schema: ownWait,
    rows: (userId) =>
      inPages(
        async (limit, last: OwnWait | undefined) => {
          const where = { userId, courseId: { [Op.gt]: last?.courseId ?? 0 } };
          const order = ['courseId'];
          return CourseWait.findAll({
            attributes: ['courseId', 'createdAt'],
            where,
            order,
            limit,
            raw: true,
          });
        },
        ({ courseId, createdAt }) => ({ courseId, createdAt: new Date(createdAt).toISOString() }),
      ),
  },
  {
    name: 'completions',
    schema: ownCompletion,
    rows: (userId) =>
      inPages(
        async (limit, last: OwnCompletion | undefined) => {
          const where = { userId, videoId: { [Op.gt]: last?.videoId ?? 0 } };
          const attributes = ['courseId', 'videoId', 'completedAt'];
          return VideoCompletion.findAll({
            attributes,
            where,
            order: ['videoId'],
            limit,
            raw: true,
          });
        },
        ({ courseId, videoId, completedAt }) => ({
          courseId,
          videoId,
          completedAt: new Date(completedAt).toISOString(),
        }),
      ),
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
