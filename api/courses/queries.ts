import {
  col,
  literal,
  Op,
  type FindAttributeOptions,
  type Includeable,
  type Order,
  type WhereOptions,
} from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import type { Role } from '../../shared/command';
import type {
  CourseAttributes,
  CourseStatus,
  SubscriptionStatus,
} from '../../shared/courses/commands';
import { Course, CourseVideo, UserCourse } from '../../shared/courses/tables';
import {
  courseView,
  subscriptionView,
  videoView,
  type CourseView,
  type SubscriptionView,
  type TakenCourseView,
  type VideoRow,
  type VideoView,
} from '../../shared/courses/views';
import { folded } from '../../shared/fields';
import { User } from '../../shared/identity/tables';
import { limitsOf, type Page } from '../http/requests/paging';
import type { Sort } from '../http/requests/query-rules';
import { contains } from '../reads/contains';
import { countUpTo, withTotal, type Found } from '../reads/found';
import { optionalDate, type StoredInstant } from '../reads/stored';

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

export interface StoredCourse extends Omit<CourseAttributes, 'completesAutomatically'> {
  readonly id: number;
  readonly userId: number;
  readonly lecturerName: string;
  readonly videoCount: number;
  readonly subscriberCount: number;
  /** SQLite knows no booleans. */
  readonly completesAutomatically: boolean | number;
  readonly waitingCount: number;
  readonly createdAt: StoredInstant;
  readonly modifiedAt: StoredInstant;
}

type StoredVideo = Omit<VideoRow, 'createdAt'> & { readonly createdAt: StoredInstant };

export interface StoredSubscription {
  readonly id: number;
  readonly userId: number;
  readonly courseId: number;
  readonly courseName: string;
  readonly videoCount: number;
  readonly completedVideos: number;
  readonly lecturerId: number;
  readonly lecturerName: string;
  readonly status: SubscriptionStatus;
  readonly createdAt: StoredInstant;
  readonly modifiedAt: StoredInstant;
  readonly completedAt: StoredInstant | null;
}

/**
 * Every course has a lecturer; `required` is false so that the optimizer must begin at the course
 * and can use its indexes.
 */
export const withLecturer: Includeable = {
  model: User,
  as: 'lecturer',
  attributes: [],
  required: false,
};

/** To be read together with `subscriptionAttributes`. */
export const withCourse: Includeable = {
  model: Course,
  as: 'course',
  attributes: [],
  required: false,
  include: [withLecturer],
};

export const courseAttributes: FindAttributeOptions = [
  ...[
    'id',
    'courseName',
    'userId',
    'videoCount',
    'capacity',
    'subscriberCount',
    'status',
    'completesAutomatically',
    'waitingCount',
    'createdAt',
    'modifiedAt',
  ],
  [col('lecturer.username'), 'lecturerName'],
];

const COMPLETED_VIDEOS =
  '(SELECT COUNT(*) FROM video_completion v WHERE v.course_id = `UserCourse`.`course_id` AND v.user_id = `UserCourse`.`user_id`)';

export const subscriptionAttributes: FindAttributeOptions = [
  ...['id', 'userId', 'courseId', 'status', 'createdAt', 'modifiedAt', 'completedAt'],
  [col('course.course_name'), 'courseName'],
  [col('course.video_count'), 'videoCount'],
  [literal(COMPLETED_VIDEOS), 'completedVideos'],
  [col('course.user_id'), 'lecturerId'],
  [col('course->lecturer.username'), 'lecturerName'],
];

/** A course as it is shown. */
export function shownCourse(row: StoredCourse): CourseView {
  return courseView({
    ...row,
    completesAutomatically: Boolean(row.completesAutomatically),
    createdAt: new Date(row.createdAt),
    modifiedAt: new Date(row.modifiedAt),
  });
}

export function shownSubscription(row: StoredSubscription): SubscriptionView {
  const { createdAt, modifiedAt, completedAt } = row;
  const times = {
    createdAt: new Date(createdAt),
    modifiedAt: new Date(modifiedAt),
    completedAt: optionalDate(completedAt),
  };
  return subscriptionView({ ...row, ...times }, row);
}

export function takenCourseOf(row: StoredSubscription): TakenCourseView {
  const { lecturerId, lecturerName } = row;
  return {
    ...shownSubscription(row),
    lecturer: { userId: lecturerId, username: lecturerName },
  };
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

/** Whose course it is, and how many videos it has. */
export async function findCourseNumbers(
  courseId: number,
): Promise<{ userId: number; videoCount: number } | null> {
  return Course.findOne({
    attributes: ['userId', 'videoCount'],
    where: { id: courseId, deletedAt: null },
    raw: true,
  });
}

/** Whether a user takes a course, or has completed it. */
export async function takesCourse(userId: number, courseId: number): Promise<boolean> {
  const where = { userId, courseId, status: ['in_progress', 'completed'] };
  return (await UserCourse.count({ where })) > 0;
}

const shownVideo = (row: StoredVideo, withUrl: boolean): VideoView =>
  videoView({ ...row, createdAt: new Date(row.createdAt) }, withUrl);

/** The videos of a course in their order. `withUrl`: for those who may watch them. */
export async function findVideos(
  courseId: number,
  page: Page,
  withUrl: boolean,
): Promise<Found<VideoView>> {
  const rows = await CourseVideo.findAll({
    where: { courseId },
    order: ['position'],
    ...limitsOf(page),
    raw: true,
  });
  const items = (rows as unknown as StoredVideo[]).map((row) => shownVideo(row, withUrl));
  return withTotal(page, items, () => countUpTo(CourseVideo, { courseId }));
}

/** A video of a course. `withUrl`: for those who may watch it. */
export async function findVideo(
  courseId: number,
  id: number,
  withUrl: boolean,
): Promise<VideoView | null> {
  const row = await CourseVideo.findOne({ where: { courseId, id }, raw: true });
  return row && shownVideo(row, withUrl);
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

/** The courses that a user takes, the latest subscription first. */
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

/** A user as everybody may see them. */
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
