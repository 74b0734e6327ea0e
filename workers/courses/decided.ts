import type { Actor, Refusal } from '../../shared/command';
import {
  courseKey,
  type CoursesCommand,
  type CoursesCommands,
  type CoursesRefusal,
} from '../../shared/courses/commands';
import type { CoursesEvents } from '../../shared/courses/events';
import { subscriptionView, type SubscriptionView } from '../../shared/courses/views';
import {
  done,
  type Decision,
  type DecisionContext,
  type DomainEvent,
} from '../batch/service/decision';
import type { Course, CoursesChanges, Subscription } from './changes';
import type { CoursesIds } from './needs';
import type { CoursesView } from './state';

/** The words in which courses are decided. Everything here is pure. */

export interface Decided {
  readonly decision: Decision;
  readonly changes: CoursesChanges;
}

export interface Given<Type extends keyof CoursesCommands> {
  readonly state: CoursesView;
  readonly command: Extract<CoursesCommand, { type: Type }>;
  readonly context: DecisionContext<CoursesIds<Type>>;
}

export function refuse(code: CoursesRefusal, detail: string, ids?: Refusal['ids']): Decided {
  return {
    decision: { kind: 'refused', refusal: { code, detail, ...(ids && { ids }) } },
    changes: {},
  };
}

export function accept(
  result: object | null,
  changes: CoursesChanges,
  events: readonly DomainEvent[],
  created = false,
): Decided {
  return { decision: done(result, events, created), changes };
}

export const event = <Type extends keyof CoursesEvents>(
  type: Type,
  courseId: number,
  data: CoursesEvents[Type],
): DomainEvent => ({ type, aggregateId: courseKey(courseId), data });
export const noUser = (id: number): Decided => refuse('USER_NOT_FOUND', `There is no user ${id}.`);
const noCourse = (id: number): Decided => refuse('COURSE_NOT_FOUND', `There is no course ${id}.`);
export const noSubscription = ({ id }: Course): Decided =>
  refuse('SUBSCRIPTION_NOT_FOUND', `There is no subscription to course ${id}.`);
export const noVideo = ({ id }: Course, videoId: number): Decided =>
  refuse('VIDEO_NOT_FOUND', `Course ${id} has no video ${videoId}.`);

/** A subscription as clients see it. */
export const shown = (course: Course, subscription: Subscription): SubscriptionView =>
  subscriptionView(subscription, course);

type Taken = Subscription & { readonly status: 'in_progress' | 'completed' };
export const isTaken = (subscription: Subscription | undefined): subscription is Taken =>
  subscription !== undefined && subscription.status !== 'cancelled';

/** The course, when the actor may change it; else why not. */
export function managed(state: CoursesView, actor: Actor, courseId: number): Course | Decided {
  const course = state.course(courseId);
  if (!course) return noCourse(courseId);
  if (actor.isAdmin || course.userId === actor.userId) return course;
  return refuse('FORBIDDEN', 'Only an administrator or the lecturer of the course may do this.');
}

export interface Found {
  readonly course: Course;
  /** Also a cancelled one. */
  readonly subscription: Subscription | undefined;
}

/** What a command about a user and a course names, or what of it is not there. */
export function find({
  state,
  command: { actor, payload },
}: {
  readonly state: CoursesView;
  readonly command: {
    readonly actor: Actor;
    readonly payload: { readonly courseId: number; readonly userId: number };
  };
}): Found | Decided {
  const { courseId, userId } = payload;
  if (!actor.isAdmin && actor.userId !== userId)
    return refuse('FORBIDDEN', 'Only an administrator may do this for somebody else.');
  if (!state.user(userId)) return noUser(userId);
  const course = state.course(courseId);
  return course
    ? { course, subscription: state.subscription(userId, courseId) }
    : noCourse(courseId);
}
