import Joi from 'joi';
import type { CommandOf } from '../command';
import { id, ID_MAX, line, webAddress } from '../fields';

/** The commands of course subscriptions: what each carries and which rules its payload obeys. */

export const SUBSCRIPTION_STATUSES = ['in_progress', 'completed', 'cancelled'] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/** Longest address of a video, characters. */
const URL_LENGTH_MAX = 2048;
/** Longest video, seconds: what an INTEGER column holds. */
const DURATION_MAX_S = 2 ** 31 - 1;

export interface CoursesCommands {
  /** `userId` is the lecturer's; `capacity` null for no limit. */
  'courses.register-course': {
    readonly courseName: string;
    readonly userId: number;
    readonly capacity: number | null;
  };
  /** `position` from 1; null for behind the last one. */
  'courses.add-video': {
    readonly courseId: number;
    readonly title: string;
    readonly url: string;
    readonly position: number | null;
    readonly durationSeconds: number | null;
  };
  /** `userId` is who takes the course: the actor, or whomever an administrator names. */
  'courses.subscribe': { readonly courseId: number; readonly userId: number };
  'courses.cancel-subscription': { readonly courseId: number; readonly userId: number };
  'courses.complete-subscription': { readonly courseId: number; readonly userId: number };
}

export type CoursesCommand = CommandOf<CoursesCommands>;

/**
 * Rules for the fields of courses and videos, by name; used for request bodies and for payloads.
 */
export const courseFields = {
  courseName: line(255),
  capacity: Joi.number().integer().min(1).max(ID_MAX).strict().allow(null),
  title: line(255),
  url: webAddress(URL_LENGTH_MAX),
  position: Joi.number().integer().min(1).max(ID_MAX).strict(),
  durationSeconds: Joi.number().integer().min(0).max(DURATION_MAX_S).strict().allow(null),
};

const object = <T>(keys: Joi.SchemaMap): Joi.ObjectSchema<T> =>
  Joi.object<T>(keys).prefs({ presence: 'required' });
const subscription = { courseId: id, userId: id };

/** The payload rules, one line a command. */
export const coursesPayloads: {
  [Type in keyof CoursesCommands]: Joi.ObjectSchema<CoursesCommands[Type]>;
} = {
  'courses.register-course': object({
    courseName: courseFields.courseName,
    userId: id,
    capacity: courseFields.capacity,
  }),
  'courses.add-video': object({
    courseId: id,
    title: courseFields.title,
    url: courseFields.url,
    position: courseFields.position.allow(null),
    durationSeconds: courseFields.durationSeconds,
  }),
  'courses.subscribe': object(subscription),
  'courses.cancel-subscription': object(subscription),
  'courses.complete-subscription': object(subscription),
};

/** Everything that courses refuse, as the client sees it. */
export type CoursesRefusal =
  | 'VALIDATION_FAILED'
  | 'LECTURER_REQUIRED'
  | 'FORBIDDEN'
  | 'COURSE_NOT_FOUND'
  | 'USER_NOT_FOUND'
  | 'SUBSCRIPTION_NOT_FOUND'
  | 'ALREADY_SUBSCRIBED'
  | 'COURSE_FULL'
  | 'SUBSCRIPTION_COMPLETED';

/**
 * Aggregate key of all that concerns a course, its subscriptions too: capacity is decided in one
 * partition.
 */
export const courseKey = (courseId: number): string => `course:${courseId}`;
