import type { Refusal } from '../../shared/command';
import {
  courseKey,
  type CoursesCommand,
  type CoursesCommands,
  type CoursesRefusal,
} from '../../shared/courses/commands';
import { courseView, subscriptionView, videoView } from '../../shared/courses/views';
import type { CoursesEvents } from '../../shared/courses/events';
import { done, type Decision, type DecisionContext, type DomainEvent } from '../batch/decision';
import type { AnyCoursesId, CoursesIds } from './needs';
import type { Course, CoursesChanges, CoursesView, Subscription, Video } from './state';

/**
 * The rules of course subscriptions. Pure: state, clock and ids come in; a decision and the changed
 * rows go out.
 */

export interface Decided {
  readonly decision: Decision;
  readonly changes: CoursesChanges;
}

interface Given<Type extends keyof CoursesCommands> {
  readonly state: CoursesView;
  readonly command: Extract<CoursesCommand, { type: Type }>;
  readonly context: DecisionContext<CoursesIds<Type>>;
}

/** All commands about a user's subscription carry the same. */
type SubscriptionCommand = Pick<Given<'courses.subscribe'>['command'], 'actor' | 'payload'>;

function refuse(code: CoursesRefusal, detail: string, ids?: Refusal['ids']): Decided {
  return {
    decision: { kind: 'refused', refusal: { code, detail, ...(ids && { ids }) } },
    changes: {},
  };
}

function accept(
  result: object | null,
  changes: CoursesChanges,
  events: readonly DomainEvent[],
  created = false,
): Decided {
  return { decision: done(result, events, created), changes };
}

const event = <Type extends keyof CoursesEvents>(
  type: Type,
  courseId: number,
  data: CoursesEvents[Type],
): DomainEvent => ({ type, aggregateId: courseKey(courseId), data });
const noUser = (id: number): Decided => refuse('USER_NOT_FOUND', `There is no user ${id}.`);
const noCourse = (id: number): Decided => refuse('COURSE_NOT_FOUND', `There is no course ${id}.`);

function registerCourse({ state, command, context }: Given<'courses.register-course'>): Decided {
  const { actor, payload } = command;
  const { courseName, userId, capacity } = payload;
  const forSelf = userId === actor.userId && actor.role === 'lecturer';
  if (!actor.isAdmin && !forSelf)
    return refuse('FORBIDDEN', 'A lecturer may register only their own courses.');
  const lecturer = state.user(userId);
  // The token of a lecturer counts also where the table, written at an earlier visit, does not know
  // it yet.
  if (!lecturer || lecturer.isErased || !(forSelf || lecturer.role === 'lecturer'))
    return refuse('LECTURER_REQUIRED', `There is no lecturer ${userId}.`);
  const times = { createdAt: context.now, modifiedAt: context.now };
  const course: Course = {
    id: context.takeId('course'),
    courseName,
    userId,
    lecturerName: lecturer.username,
    capacity,
    videoCount: 0,
    subscriberCount: 0,
    ...times,
  };
  const view = courseView(course);
  return accept(
    view,
    { courses: [course] },
    [event('courses.course.created', course.id, view)],
    true,
  );
}

function addVideo({ state, command, context }: Given<'courses.add-video'>): Decided {
  const { actor, payload } = command;
  const { courseId, title, url, durationSeconds } = payload;
  const course = state.course(courseId);
  if (!course) return noCourse(courseId);
  if (!actor.isAdmin && course.userId !== actor.userId)
    return refuse('FORBIDDEN', 'Only an administrator or the lecturer of the course may do this.');
  const behindLast = course.videoCount + 1;
  const position = payload.position ?? behindLast;
  // The API looks as well, but it has seen the course earlier.
  if (position > behindLast)
    return refuse('VALIDATION_FAILED', `position must be at most ${behindLast}.`);
  const video: Video = {
    id: context.takeId('video'),
    courseId,
    title,
    url,
    position,
    durationSeconds,
    createdAt: context.now,
  };
  const view = videoView(video);
  const extended: Course = { ...course, videoCount: behindLast, modifiedAt: context.now };
  return accept(
    view,
    { courses: [extended], videos: [video] },
    [event('courses.video.added', courseId, view)],
    true,
  );
}

interface Found {
  readonly course: Course;
  /** Also a cancelled one. */
  readonly subscription: Subscription | undefined;
}

/** What a command about a user's subscription names, or what of it is not there. */
function find({
  state,
  command: { actor, payload },
}: {
  readonly state: CoursesView;
  readonly command: SubscriptionCommand;
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

function counted(course: Course, change: 1 | -1): Course {
  return { ...course, subscriberCount: course.subscriberCount + change };
}

function subscribe(given: Given<'courses.subscribe'>): Decided {
  const { state, command, context } = given;
  const found = find(given);
  if ('decision' in found) return found;
  const { course, subscription: before } = found;
  const courseId = course.id;
  const { userId } = command.payload;
  if (state.user(userId)?.isErased) return noUser(userId);
  if (before && before.status !== 'cancelled') {
    return refuse('ALREADY_SUBSCRIBED', `You are subscribed to course ${courseId} already.`, {
      subscriptionId: before.id,
    });
  }
  if (course.capacity !== null && course.subscriberCount >= course.capacity) {
    return refuse(
      'COURSE_FULL',
      `All ${course.capacity} places of course ${courseId} are taken. A place becomes free when somebody cancels.`,
      { courseId },
    );
  }
  const { now } = context;
  const fresh = { userId, courseId, courseName: course.courseName, createdAt: now };
  const base = before ?? { id: context.takeId('subscription'), ...fresh };
  const subscription: Subscription = {
    ...base,
    status: 'in_progress',
    modifiedAt: now,
    completedAt: null,
  };
  const view = subscriptionView(subscription);
  return accept(
    view,
    { courses: [counted(course, 1)], subscriptions: [subscription] },
    [event('courses.subscription.created', courseId, view)],
    true,
  );
}

const noSubscription = ({ id }: Course): Decided =>
  refuse('SUBSCRIPTION_NOT_FOUND', `There is no subscription to course ${id}.`);

function cancelSubscription(given: Given<'courses.cancel-subscription'>): Decided {
  const found = find(given);
  if ('decision' in found) return found;
  const { course, subscription: before } = found;
  if (!before || before.status === 'cancelled') return noSubscription(course);
  if (before.status === 'completed') {
    return refuse(
      'SUBSCRIPTION_COMPLETED',
      `Course ${course.id} is completed, so the subscription cannot be cancelled.`,
      { subscriptionId: before.id },
    );
  }
  const subscription: Subscription = {
    ...before,
    status: 'cancelled',
    modifiedAt: given.context.now,
  };
  const cancelled = event(
    'courses.subscription.cancelled',
    course.id,
    subscriptionView(subscription),
  );
  return accept(null, { courses: [counted(course, -1)], subscriptions: [subscription] }, [
    cancelled,
  ]);
}

function completeSubscription(given: Given<'courses.complete-subscription'>): Decided {
  const found = find(given);
  if ('decision' in found) return found;
  const { course, subscription: before } = found;
  if (!before || before.status === 'cancelled') return noSubscription(course);
  if (before.status === 'completed') return accept(subscriptionView(before), {}, []);
  const { now } = given.context;
  const subscription: Subscription = {
    ...before,
    status: 'completed',
    modifiedAt: now,
    completedAt: now,
  };
  const view = subscriptionView(subscription);
  return accept(view, { subscriptions: [subscription] }, [
    event('courses.subscription.completed', course.id, view),
  ]);
}

export function decideCourses(
  state: CoursesView,
  command: CoursesCommand,
  context: DecisionContext<AnyCoursesId>,
): Decided {
  switch (command.type) {
    case 'courses.register-course':
      return registerCourse({ state, command, context });
    case 'courses.add-video':
      return addVideo({ state, command, context });
    case 'courses.subscribe':
      return subscribe({ state, command, context });
    case 'courses.cancel-subscription':
      return cancelSubscription({ state, command, context });
    case 'courses.complete-subscription':
      return completeSubscription({ state, command, context });
  }
}
