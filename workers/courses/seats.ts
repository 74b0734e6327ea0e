import type { DomainEvent } from '../batch/service/decision';
import { event, isTaken, refuse, shown, type CoursesDecision } from './decided';
import type { Course, Subscription, Wait } from './changes';
import type { CoursesView } from './state';

/**
 * Decides who gets a seat.
 * Each course has one line, first come, first served. While somebody waits, a free seat goes to the
 * first in line at once, before any new user. A course that is not open takes nobody. Its line
 * stays, and moves on when the course opens again.
 */

/** Returns the number of free seats of an open course. */
function freeSeats({ status, capacity, subscriberCount }: Course): number {
  return status === 'open' ? (capacity ?? Infinity) - subscriberCount : 0;
}

/** Returns the number of free seats after everybody in line has one. */
export const seatsLeft = (course: Course): number => freeSeats(course) - course.waitingCount;

/** Returns why a new user gets no seat, or null. */
export function seatRefusal(course: Course): CoursesDecision | null {
  const { id, status, capacity } = course;
  if (status !== 'open') return closed(course);
  if (seatsLeft(course) > 0) return null;
  return refuse(
    'COURSE_FULL',
    `All ${capacity} seats of course ${id} are taken. Join the waitlist to get the next one.`,
    { courseId: id },
  );
}

export const closed = ({ id, status }: Course): CoursesDecision =>
  refuse('COURSE_CLOSED', `Course ${id} is ${status} and takes no subscriptions.`, {
    courseId: id,
  });

/** Returns the data of the event for a user who leaves the line. */
export const leaver = ({ courseId, userId, username }: Wait) => ({ courseId, userId, username });

/** Returns the course with one subscriber more or less. */
export function counted(course: Course, change: 1 | -1): Course {
  return { ...course, subscriberCount: course.subscriberCount + change };
}

/** Returns a subscription in progress, new or resumed. `id`: the id of a new one. */
export function takenUp(
  before: Subscription | undefined,
  whose: Pick<Subscription, 'userId' | 'courseId'>,
  now: Date,
  id: () => number,
): Subscription {
  const { userId, courseId } = whose;
  const base = before ?? { id: id(), userId, courseId, createdAt: now, completedVideos: 0 };
  return { ...base, status: 'in_progress', modifiedAt: now, completedAt: null };
}

/** The result of giving free seats to waiting users. */
export interface LetIn {
  readonly course: Course;
  readonly subscriptions: readonly Subscription[];
  readonly left: readonly Wait[];
  readonly events: readonly DomainEvent[];
}

/** Gives the free seats of a course to waiting users, in the order of the line. */
export function letIn(
  state: CoursesView,
  before: Course,
  now: Date,
  line = state.line(before.id),
): LetIn {
  let course = before;
  const subscriptions: Subscription[] = [];
  const left: Wait[] = [];
  for (const wait of line) {
    if (freeSeats(course) <= 0) break;
    left.push(wait);
    course = { ...course, waitingCount: course.waitingCount - 1 };
    const known = state.subscription(wait.userId, wait.courseId);
    // Users who were erased meanwhile get no seat.
    if (state.user(wait.userId)?.isErased || isTaken(known)) continue;
    course = counted(course, 1);
    subscriptions.push(takenUp(known, wait, now, () => wait.id));
  }
  const promoted = course;
  const events = subscriptions.map((one) =>
    event('courses.waitlist.promoted', course.id, shown(promoted, one)),
  );
  return { course, subscriptions, left, events };
}
