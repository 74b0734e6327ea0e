import { literal, Op, type Order, type WhereOptions } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import type { Role } from '../../shared/command';
import type { CourseStatus, SubscriptionStatus } from '../../shared/courses/commands';
import { Course, UserCourse } from '../../shared/courses/tables';
import type { CourseView, SubscriptionView, TakenCourseView } from '../../shared/courses/views';
import { folded } from '../../shared/fields';
import { User } from '../../shared/identity/tables';
import { limitsOf, type Page } from '../http/requests/paging';
import type { Sort } from '../http/requests/query-rules';
import { contains } from '../reads/contains';
import { countUpTo, withTotal, type Found } from '../reads/found';
import {
  courseAttributes,
  shownCourse,
  shownSubscription,
  subscriptionAttributes,
  takenCourseOf,
  withCourse,
  withLecturer,
  type StoredCourse,
  type StoredSubscription,
} from './rows';

/**
 * What reads of courses ask of the database. Ids are numbers and instants are Dates, whatever the
 * dialect.
 */

export const COURSE_SORTS = ['courseName', 'createdAt', 'subscriberCount'] as const;
export type CourseSort = (typeof COURSE_SORTS)[number];

/** Attribute behind each sort. Names go by their folded form. */
const SORTED_BY: Readonly<Record<CourseSort, string>> = {
  courseName: 'searchName',
  createdAt: 'createdAt',
  subscriberCount: 'subscriberCount',
};

export interface CourseSearch extends Page {
  /** A part of the name. */
  readonly q?: string;
  /** The lecturer. */
  readonly userId?: number;
  readonly status?: CourseStatus;
  readonly sort: Sort<CourseSort>;
}

export async function searchCourses(
  database: Sequelize,
  search: CourseSearch,
): Promise<Found<CourseView>> {
  const { q, userId, status, sort } = search;
  const named =
    q === undefined
      ? {}
      : { [Op.and]: literal(contains(database, '`Course`.`search_name`', folded(q))) };
  const where: WhereOptions = {
    deletedAt: null,
    ...(userId !== undefined && { userId }),
    ...(status !== undefined && { status }),
    ...named,
  };
  const direction = sort.descending ? 'DESC' : 'ASC';
  const order: Order = [SORTED_BY[sort.field], 'id'].map((attribute) => [attribute, direction]);
  const rows = await Course.findAll({
    attributes: courseAttributes,
    include: withLecturer,
    where,
    order,
    ...limitsOf(search),
    raw: true,
  });
  return withTotal(search, (rows as unknown as StoredCourse[]).map(shownCourse), () =>
    countUpTo(Course, where),
  );
}

export async function findCourse(courseId: number): Promise<CourseView | null> {
  const row = await Course.findOne({
    attributes: courseAttributes,
    include: withLecturer,
    where: { id: courseId, deletedAt: null },
    raw: true,
  });
  return row && shownCourse(row as unknown as StoredCourse);
}

/** Returns the lecturer of a course and its number of videos. */
export async function findCourseNumbers(
  courseId: number,
): Promise<{ userId: number; videoCount: number } | null> {
  return Course.findOne({
    attributes: ['userId', 'videoCount'],
    where: { id: courseId, deletedAt: null },
    raw: true,
  });
}

/** Returns whether a user takes a course, or has completed it. */
export async function takesCourse(userId: number, courseId: number): Promise<boolean> {
  const where = { userId, courseId, status: ['in_progress', 'completed'] };
  return (await UserCourse.count({ where })) > 0;
}

export async function findSubscription(
  userId: number,
  courseId: number,
): Promise<SubscriptionView | null> {
  const row = await UserCourse.findOne({
    attributes: subscriptionAttributes,
    include: withCourse,
    where: { userId, courseId },
    raw: true,
  });
  return row && shownSubscription(row as unknown as StoredSubscription);
}

export interface TakenCourses extends Page {
  readonly status: SubscriptionStatus | 'all';
}

/** Returns the courses that a user takes, the latest subscription first. */
export async function findTakenCourses(
  userId: number,
  { status, ...page }: TakenCourses,
): Promise<Found<TakenCourseView>> {
  const where: WhereOptions = { userId, ...(status !== 'all' && { status }) };
  const rows = await UserCourse.findAll({
    attributes: subscriptionAttributes,
    include: withCourse,
    where,
    order: [
      ['createdAt', 'DESC'],
      ['id', 'DESC'],
    ],
    ...limitsOf(page),
    raw: true,
  });
  return withTotal(page, (rows as unknown as StoredSubscription[]).map(takenCourseOf), () =>
    countUpTo(UserCourse, where),
  );
}

export async function countTakenCourses(userId: number): Promise<number> {
  return UserCourse.count({ where: { userId, status: 'in_progress' } });
}

/** Returns a user as everybody may see them. */
export async function findUser(
  userId: number,
): Promise<{ userId: number; username: string; role: Role } | null> {
  const row = await User.findOne({
    attributes: ['id', 'username', 'role'],
    where: { id: userId },
    raw: true,
  });
  return row && { userId: row.id, username: row.username, role: row.role };
}
