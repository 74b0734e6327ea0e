import type { SubscriptionStatus } from './commands';

/** The shapes that clients see, made the same way from a worker's rows and from a query's. */

export interface CourseRow {
  readonly id: number;
  readonly courseName: string;
  /** The lecturer. */
  readonly userId: number;
  readonly lecturerName: string;
  readonly videoCount: number;
  readonly capacity: number | null;
  readonly subscriberCount: number;
  readonly createdAt: Date;
  readonly modifiedAt: Date;
}

export interface VideoRow {
  readonly id: number;
  readonly courseId: number;
  readonly title: string;
  readonly url: string;
  readonly position: number;
  readonly durationSeconds: number | null;
  readonly createdAt: Date;
}

export interface SubscriptionRow {
  readonly id: number;
  readonly userId: number;
  readonly courseId: number;
  readonly courseName: string;
  readonly status: SubscriptionStatus;
  readonly createdAt: Date;
  readonly modifiedAt: Date;
  readonly completedAt: Date | null;
}

export function courseView(row: CourseRow) {
  return {
    courseId: row.id,
    courseName: row.courseName,
    userId: row.userId,
    lecturer: { userId: row.userId, username: row.lecturerName },
    videoCount: row.videoCount,
    capacity: row.capacity,
    subscriberCount: row.subscriberCount,
    createdAt: row.createdAt.toISOString(),
    modifiedAt: row.modifiedAt.toISOString(),
  };
}

export function videoView(row: VideoRow) {
  return {
    videoId: row.id,
    courseId: row.courseId,
    title: row.title,
    url: row.url,
    position: row.position,
    durationSeconds: row.durationSeconds,
    createdAt: row.createdAt.toISOString(),
  };
}

export function subscriptionView(row: SubscriptionRow) {
  return {
    subscriptionId: row.id,
    userId: row.userId,
    courseId: row.courseId,
    courseName: row.courseName,
    status: row.status,
    createdAt: row.createdAt.toISOString(),
    modifiedAt: row.modifiedAt.toISOString(),
    completedAt: row.completedAt?.toISOString() ?? null,
  };
}

export type CourseView = ReturnType<typeof courseView>;
export type VideoView = ReturnType<typeof videoView>;
export type SubscriptionView = ReturnType<typeof subscriptionView>;
/** In a list the lecturer stands beside it. */
export type TakenCourseView = SubscriptionView & Pick<CourseView, 'lecturer'>;

/**
 * Names whose version a worker bumps when what a view shows has changed (see
 * `shared/cache/cache.ts`). `courses` stands for every list that any course's change may alter;
 * `user` is never bumped, for rows of users never change.
 */
export const coursesCacheKeys = {
  courses: 'courses:courses',
  course: (courseId: number): string => `courses:course:${courseId}`,
  userCourses: (userId: number): string => `courses:user-courses:${userId}`,
};
