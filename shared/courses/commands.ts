import Joi from 'joi';
import type { CommandOf } from '../command';
import { id, ID_MAX, line, webAddress } from '../fields';

/** The commands of course subscriptions, with their payloads and the rules for them. */

export const SUBSCRIPTION_STATUSES = ['in_progress', 'completed', 'cancelled'] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/** Closed and archived courses take no subscriptions. Archived ones are over. */
export const COURSE_STATUSES = ['open', 'closed', 'archived'] as const;
export type CourseStatus = (typeof COURSE_STATUSES)[number];

/** Most users that can wait for one course. */
export const WAITLIST_MAX = 1000;
/** Most users that one command may subscribe. */
const BULK_MAX = 500;
/** Most tags of an If-Match that a command carries. */
export const TAGS_MAX = 100;

/** Longest address of a video, characters. */
const URL_LENGTH_MAX = 2048;
/** Longest video, seconds: the largest number in an INTEGER column. */
const DURATION_MAX_S = 2 ** 31 - 1;

/** What an administrator or lecturer sets on a course. */
export interface CourseAttributes {
  readonly courseName: string;
  /** Null for no limit. */
  readonly capacity: number | null;
  readonly status: CourseStatus;
  /** Whether the last video completes the course. */
  readonly completesAutomatically: boolean;
}

export interface VideoAttributes {
  readonly title: string;
  readonly url: string;
  readonly position: number;
  readonly durationSeconds: number | null;
}

interface VideoOfUser {
  readonly courseId: number;
  readonly userId: number;
  readonly videoId: number;
}

export interface CoursesCommands {
  /** `userId` is the lecturer's; `capacity` null for no limit. */
  'courses.register-course': {
    readonly courseName: string;
    readonly userId: number;
    readonly capacity: number | null;
    readonly completesAutomatically?: boolean;
  };
  /** `ifMatch`: tags (`attributesTag`). The course must have one of them. Null for any. */
  'courses.update-course': {
    readonly courseId: number;
    readonly changes: Partial<CourseAttributes>;
    readonly ifMatch: readonly string[] | null;
  };
  'courses.delete-course': {
    readonly courseId: number;
    readonly ifMatch: readonly string[] | null;
  };
  /** `position` counts from 1. Null adds the video at the end. */
  'courses.add-video': {
    readonly courseId: number;
    readonly title: string;
    readonly url: string;
    readonly position: number | null;
    readonly durationSeconds: number | null;
  };
  'courses.update-video': {
    readonly courseId: number;
    readonly videoId: number;
    readonly changes: Partial<VideoAttributes>;
  };
  'courses.delete-video': { readonly courseId: number; readonly videoId: number };
  /** `userId` takes the course: the actor, or a user whom an administrator names. */
  'courses.subscribe': { readonly courseId: number; readonly userId: number };
  'courses.cancel-subscription': { readonly courseId: number; readonly userId: number };
  'courses.complete-subscription': { readonly courseId: number; readonly userId: number };
  'courses.subscribe-many': { readonly courseId: number; readonly userIds: readonly number[] };
  'courses.complete-video': VideoOfUser;
  'courses.uncomplete-video': VideoOfUser;
  'courses.join-waitlist': { readonly courseId: number; readonly userId: number };
  'courses.leave-waitlist': { readonly courseId: number; readonly userId: number };
}

export type CoursesCommand = CommandOf<CoursesCommands>;

declare module '../command' {
  interface CommandPayloads extends CoursesCommands {}
  interface ServiceRefusals {
    readonly courses: CoursesRefusal;
  }
}

/**
 * Rules for the fields of courses and videos, by name; used for request bodies and for payloads.
 */
export const courseFields = {
  courseName: line(255),
  capacity: Joi.number().integer().min(1).max(ID_MAX).strict().allow(null),
  status: Joi.string().valid(...COURSE_STATUSES),
  completesAutomatically: Joi.boolean().strict(),
  userIds: Joi.array().items(id).min(1).max(BULK_MAX).unique(),
  title: line(255),
  url: webAddress(URL_LENGTH_MAX),
  position: Joi.number().integer().min(1).max(ID_MAX).strict(),
  durationSeconds: Joi.number().integer().min(0).max(DURATION_MAX_S).strict().allow(null),
};

const object = <T>(keys: Joi.SchemaMap): Joi.ObjectSchema<T> =>
  Joi.object<T>(keys).prefs({ presence: 'required' });
const subscription = { courseId: id, userId: id };
const videoOfUser = { ...subscription, videoId: id };
const changesOf = (fields: Joi.SchemaMap): Joi.ObjectSchema =>
  Joi.object(fields).min(1).prefs({ presence: 'optional' });
const ifMatch = Joi.array().items(Joi.string().max(64).optional()).max(TAGS_MAX).allow(null);

/** The payload rules, one line a command. */
export const coursesPayloads: {
  [Type in keyof CoursesCommands]: Joi.ObjectSchema<CoursesCommands[Type]>;
} = {
  'courses.register-course': object({
    courseName: courseFields.courseName,
    userId: id,
    capacity: courseFields.capacity,
    completesAutomatically: courseFields.completesAutomatically.optional(),
  }),
  'courses.update-course': object({
    courseId: id,
    changes: changesOf({
      courseName: courseFields.courseName,
      capacity: courseFields.capacity,
      status: courseFields.status,
      completesAutomatically: courseFields.completesAutomatically,
    }),
    ifMatch,
  }),
  'courses.delete-course': object({ courseId: id, ifMatch }),
  'courses.add-video': object({
    courseId: id,
    title: courseFields.title,
    url: courseFields.url,
    position: courseFields.position.allow(null),
    durationSeconds: courseFields.durationSeconds,
  }),
  'courses.update-video': object({
    courseId: id,
    videoId: id,
    changes: changesOf({
      title: courseFields.title,
      url: courseFields.url,
      position: courseFields.position,
      durationSeconds: courseFields.durationSeconds,
    }),
  }),
  'courses.delete-video': object({ courseId: id, videoId: id }),
  'courses.subscribe': object(subscription),
  'courses.cancel-subscription': object(subscription),
  'courses.complete-subscription': object(subscription),
  'courses.subscribe-many': object({ courseId: id, userIds: courseFields.userIds }),
  'courses.complete-video': object(videoOfUser),
  'courses.uncomplete-video': object(videoOfUser),
  'courses.join-waitlist': object(subscription),
  'courses.leave-waitlist': object(subscription),
};

/** Every refusal of courses, as the client sees it. */
export type CoursesRefusal =
  | 'VALIDATION_FAILED'
  | 'LECTURER_REQUIRED'
  | 'FORBIDDEN'
  | 'COURSE_NOT_FOUND'
  | 'USER_NOT_FOUND'
  | 'SUBSCRIPTION_NOT_FOUND'
  | 'ALREADY_SUBSCRIBED'
  | 'COURSE_FULL'
  | 'SUBSCRIPTION_COMPLETED'
  | 'VERSION_MISMATCH'
  | 'CAPACITY_BELOW_SUBSCRIBERS'
  | 'COURSE_CLOSED'
  | 'COURSE_HAS_SUBSCRIBERS'
  | 'VIDEO_NOT_FOUND'
  | 'SEATS_AVAILABLE'
  | 'ALREADY_WAITING'
  | 'WAITLIST_FULL'
  | 'WAITLIST_ENTRY_NOT_FOUND';

/**
 * Returns the aggregate key of a course. Its subscriptions have the same key, so one partition
 * decides about its capacity.
 */
export const courseKey = (courseId: number): string => `course:${courseId}`;
