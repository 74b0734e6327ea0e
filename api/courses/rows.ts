import { col, literal, type FindAttributeOptions, type Includeable } from 'sequelize';
import type { CourseAttributes, SubscriptionStatus } from '../../shared/courses/commands';
import { Course } from '../../shared/courses/tables';
import {
  courseView,
  subscriptionView,
  type CourseView,
  type SubscriptionView,
  type TakenCourseView,
} from '../../shared/courses/views';
import { User } from '../../shared/identity/tables';
import { optionalDate, type StoredInstant } from '../reads/stored';

/** Rows of courses and subscriptions as reads get them, and the views of them. */

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

/** Returns a course as clients see it. */
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
