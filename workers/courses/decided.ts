import type { Actor } from '../../shared/command';
import {
  courseKey,
  type CoursesCommand,
  type CoursesCommands,
  type CoursesRefusal,
} from '../../shared/courses/commands';
import type { CoursesEvents } from '../../shared/courses/events';
import { subscriptionView, type SubscriptionView } from '../../shared/courses/views';
import {
  decisionsOf,
  type DecisionInput,
  type DecisionOf,
  type DomainEvent,
} from '../batch/service/decision';
import type { Course, CoursesChanges, Subscription } from './changes';
import type { CoursesIds } from './needs';
import type { CoursesView } from './state';

/** Helpers that decisions about courses share. Everything here is pure. */

export type CoursesDecision = DecisionOf<CoursesChanges>;
export type CoursesInput<Type extends keyof CoursesCommands> = DecisionInput<
  CoursesView,
  Extract<CoursesCommand, { type: Type }>,
  CoursesIds<Type>
>;

const {
  refuse,
  accept,
  event: eventOf,
} = decisionsOf<{
  refusals: CoursesRefusal;
  changes: CoursesChanges;
  events: CoursesEvents;
}>({});
export { accept, refuse };

export const event = <Type extends keyof CoursesEvents>(
  type: Type,
  courseId: number,
  data: CoursesEvents[Type],
): DomainEvent => eventOf(type, courseKey(courseId), data);
export const noUser = (id: number): CoursesDecision =>
  refuse('USER_NOT_FOUND', `There is no user ${id}.`);
const noCourse = (id: number): CoursesDecision =>
  refuse('COURSE_NOT_FOUND', `There is no course ${id}.`);
export const noSubscription = ({ id }: Course): CoursesDecision =>
  refuse('SUBSCRIPTION_NOT_FOUND', `There is no subscription to course ${id}.`);
export const noVideo = ({ id }: Course, videoId: number): CoursesDecision =>
  refuse('VIDEO_NOT_FOUND', `Course ${id} has no video ${videoId}.`);

/** Returns a subscription as clients see it. */
export const shown = (course: Course, subscription: Subscription): SubscriptionView =>
  subscriptionView(subscription, course);

type Taken = Subscription & { readonly status: 'in_progress' | 'completed' };
export const isTaken = (subscription: Subscription | undefined): subscription is Taken =>
  subscription !== undefined && subscription.status !== 'cancelled';

/** Returns the course when the actor may change it, and otherwise a refusal. */
export function managed(
  state: CoursesView,
  actor: Actor,
  courseId: number,
): Course | CoursesDecision {
  const course = state.course(courseId);
  if (!course) return noCourse(courseId);
  if (actor.isAdmin || course.userId === actor.userId) return course;
  return refuse('FORBIDDEN', 'Only an administrator or the lecturer of the course may do this.');
}

export interface Found {
  readonly course: Course;
  /** A cancelled one, too. */
  readonly subscription: Subscription | undefined;
}

/**
 * Finds the user, course and subscription that a command names, or refuses the first missing one.
 */
export function find({
  state,
  command: { actor, payload },
}: {
  readonly state: CoursesView;
  readonly command: {
    readonly actor: Actor;
    readonly payload: { readonly courseId: number; readonly userId: number };
  };
}): Found | CoursesDecision {
  const { courseId, userId } = payload;
  if (!actor.isAdmin && actor.userId !== userId)
    return refuse('FORBIDDEN', 'Only an administrator may do this for somebody else.');
  if (!state.user(userId)) return noUser(userId);
  const course = state.course(courseId);
  return course
    ? { course, subscription: state.subscription(userId, courseId) }
    : noCourse(courseId);
}
