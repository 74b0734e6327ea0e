import { createHash } from 'node:crypto';
import type { CourseAttributes, SubscriptionStatus } from './commands';

/** The views that clients get. Workers' rows and queries' rows give the same view. */

export interface CourseRow extends CourseAttributes {
  readonly id: number;
  /** The lecturer. */
  readonly userId: number;
  readonly lecturerName: string;
  readonly videoCount: number;
  readonly subscriberCount: number;
  readonly waitingCount: number;
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
  readonly status: SubscriptionStatus;
  readonly createdAt: Date;
  readonly modifiedAt: Date;
  readonly completedAt: Date | null;
  readonly completedVideos: number;
}

/** What a subscription contains of its course. */
export type CourseOfSubscription = Pick<CourseRow, 'courseName' | 'videoCount'>;

export interface WaitRow {
  readonly courseId: number;
  readonly userId: number;
  readonly username: string;
  readonly createdAt: Date;
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
    status: row.status,
    completesAutomatically: row.completesAutomatically,
    waitingCount: row.waitingCount,
    createdAt: row.createdAt.toISOString(),
    modifiedAt: row.modifiedAt.toISOString(),
  };
}

/** Returns the view of a video. `withUrl`: whether the client may watch it. */
export function videoView(row: VideoRow, withUrl = true) {
  return {
    videoId: row.id,
    courseId: row.courseId,
    title: row.title,
    url: withUrl ? row.url : null,
    position: row.position,
    durationSeconds: row.durationSeconds,
    createdAt: row.createdAt.toISOString(),
  };
}

export function subscriptionView(row: SubscriptionRow, course: CourseOfSubscription) {
  return {
    subscriptionId: row.id,
    userId: row.userId,
    courseId: row.courseId,
    courseName: course.courseName,
    status: row.status,
    progress: progressOf(row.completedVideos, course.videoCount),
    createdAt: row.createdAt.toISOString(),
    modifiedAt: row.modifiedAt.toISOString(),
    completedAt: row.completedAt?.toISOString() ?? null,
  };
}

function progressOf(completedVideos: number, totalVideos: number) {
  const percent = totalVideos === 0 ? 0 : Math.floor((100 * completedVideos) / totalVideos);
  return { completedVideos, totalVideos, percent };
}

/** Returns the view of a wait. `position` counts from 1. */
export function waitView({ courseId, userId, username, createdAt }: WaitRow, position: number) {
  return { courseId, userId, username, position, createdAt: createdAt.toISOString() };
}

/** The result for each user of a list of subscriptions. */
export interface BulkView {
  readonly subscribed: readonly SubscriptionView[];
  readonly refused: readonly { readonly userId: number; readonly code: string }[];
}

const hashOf = (value: unknown): string =>
  createHash('sha1').update(JSON.stringify(value)).digest('base64url');

/** Returns a tag that changes with the attributes of a course, and with nothing else of it. */
export const attributesTag = (course: CourseAttributes): string =>
  hashOf([course.courseName, course.capacity, course.status, course.completesAutomatically]);

/**
 * Returns the ETag of a course. Its attributes come first, for If-Match, and then everything else
 * that the view contains. A subscription therefore makes a new representation, and no change fails
 * because of it.
 */
export const courseEtag = (view: CourseView): string => `"${attributesTag(view)}-${hashOf(view)}"`;

export type WaitView = ReturnType<typeof waitView>;
export type CourseView = ReturnType<typeof courseView>;
export type VideoView = ReturnType<typeof videoView>;
export type SubscriptionView = ReturnType<typeof subscriptionView>;
/** A subscription in a user's list, which also names the lecturer. */
export type TakenCourseView = SubscriptionView & Pick<CourseView, 'lecturer'>;
/** A subscription in a course's list, which also names the user. */
export type RosterView = SubscriptionView & { readonly username: string };

/**
 * Cache subjects that a worker bumps when a view changes (see `shared/cache/cache.ts`). `courses`
 * stands for every list that a change of any course may alter. `user` is never bumped, because rows
 * of users never change.
 */
export const coursesCacheKeys = {
  courses: 'courses:courses',
  course: (courseId: number): string => `courses:course:${courseId}`,
  /** Names and numbers of videos, which lists of subscriptions contain. */
  outlines: 'courses:outlines',
  /** The videos of a course. */
  syllabus: (courseId: number): string => `courses:syllabus:${courseId}`,
  userCourses: (userId: number): string => `courses:user-courses:${userId}`,
};
