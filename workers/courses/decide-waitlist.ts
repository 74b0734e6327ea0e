import { WAITLIST_MAX } from '../../shared/courses/commands';
import { waitView } from '../../shared/courses/views';
import {
  accept,
  event,
  find,
  isTaken,
  noUser,
  refuse,
  type CoursesDecision,
  type CoursesInput,
} from './decided';
import { closed, leaver, letIn, seatsLeft } from './seats';
import type { Wait } from './changes';

/** Decisions about waitlists. */

export function joinWaitlist(input: CoursesInput<'courses.join-waitlist'>): CoursesDecision {
  const found = find(input);
  if ('decision' in found) return found;
  const { course, subscription: before } = found;
  const { state, command, context } = input;
  const { userId } = command.payload;
  const courseId = course.id;
  const user = state.user(userId);
  if (!user || user.isErased) return noUser(userId);
  if (isTaken(before)) {
    return refuse('ALREADY_SUBSCRIBED', `You are already subscribed to course ${courseId}.`, {
      subscriptionId: before.id,
    });
  }
  if (state.wait(userId, courseId))
    return refuse('ALREADY_WAITING', `You are already on the waitlist of course ${courseId}.`, {
      courseId,
    });
  if (course.status !== 'open') return closed(course);
  if (seatsLeft(course) > 0)
    return refuse('SEATS_AVAILABLE', `Course ${courseId} has free seats. Subscribe to it.`, {
      courseId,
    });
  const position = course.waitingCount + 1;
  if (position > WAITLIST_MAX)
    return refuse(
      'WAITLIST_FULL',
      `${WAITLIST_MAX} users wait for course ${courseId}, which is the limit. Try again later.`,
      { courseId },
    );
  const wait: Wait = {
    // However many users get a seat, none of them needs a new id then.
    id: before?.id ?? context.takeId('subscription'),
    courseId,
    userId,
    username: user.username,
    placeNo: state.nextPlaceNo(courseId),
    createdAt: context.now,
  };
  const view = waitView(wait, position);
  return accept(
    view,
    { courses: [{ ...course, waitingCount: position }], waits: [wait] },
    [event('courses.waitlist.joined', courseId, view)],
    true,
  );
}

export function leaveWaitlist(input: CoursesInput<'courses.leave-waitlist'>): CoursesDecision {
  const found = find(input);
  if ('decision' in found) return found;
  const { course: before } = found;
  const { state, command, context } = input;
  const { courseId, userId } = command.payload;
  const wait = state.wait(userId, courseId);
  if (!wait)
    return refuse('WAITLIST_ENTRY_NOT_FOUND', `You are not on the waitlist of course ${courseId}.`);
  const others = state.line(courseId).filter((one) => one !== wait);
  const shorter = { ...before, waitingCount: before.waitingCount - 1 };
  const { course, subscriptions, left, events } = letIn(state, shorter, context.now, others);
  return accept(null, { courses: [course], subscriptions, left: [wait, ...left] }, [
    event('courses.waitlist.left', courseId, leaver(wait)),
    ...events,
  ]);
}
