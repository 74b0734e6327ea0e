import type { DomainEvent } from '../batch/service/decision';
import { event, isTaken, refuse, shown, type Decided } from './decided';
import type { Course, Subscription, Wait } from './changes';
import type { CoursesView } from './state';

/**
 * Who gets a seat. Users wait in one line a course, first come first served. A seat that comes free
 * while somebody waits goes to the first at once, so nobody new is let in before them. A course
 * that is not open takes nobody; its line stays, and moves on when the course opens again.
 */

/** Seats of an open course that nobody has. */
function freeSeats({ status, capacity, subscriberCount }: Course): number {
  return status === 'open' ? (capacity ?? Infinity) - subscriberCount : 0;
}

/** Seats that are left when all who wait have theirs. */
export const seatsLeft = (course: Course): number => freeSeats(course) - course.waitingCount;

/** Why somebody new gets no seat, null when there is one. */
export function seatRefusal(course: Course): Decided | null {
  const { id, status, capacity } = course;
  if (status !== 'open') return closed(course);
  if (seatsLeft(course) > 0) return null;
  return refuse(
    'COURSE_FULL',
    `All ${capacity} seats of course ${id} are taken. Join the waitlist to get the next one.`,
    { courseId: id },
  );
}

export const closed = ({ id, status }: Course): Decided =>
  refuse('COURSE_CLOSED', `Course ${id} is ${status} and takes no subscriptions.`, {
    courseId: id,
  });

/** Who waits no more, as events tell it. */
export const leaver = ({ courseId, userId, username }: Wait) => ({ courseId, userId, username });

/** The course with one seat more taken, or one less. */
export function counted(course: Course, change: 1 | -1): Course {
  return { ...course, subscriberCount: course.subscriberCount + change };
}

/** A subscription in progress, made or taken up again. `id`: that of a new one. */
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

/** What became of free seats and of those who waited. */
export interface LetIn {
  readonly course: Course;
  readonly subscriptions: readonly Subscription[];
  readonly left: readonly Wait[];
  readonly events: readonly DomainEvent[];
}

/** Gives the free seats of a course to those who wait, in the order of the line. */
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
    // Whoever was erased meanwhile gets no seat.
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
