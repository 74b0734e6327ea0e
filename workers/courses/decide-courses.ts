import { attributesTag, courseView } from '../../shared/courses/views';
import { accept, event, managed, refuse, type CoursesDecision, type CoursesInput } from './decided';
import { leaver, letIn } from './seats';
import type { Course } from './changes';

/** Decisions about courses themselves. */

export function registerCourse({
  state,
  command,
  context,
}: CoursesInput<'courses.register-course'>): CoursesDecision {
  const { actor, payload } = command;
  const { courseName, userId, capacity, completesAutomatically = false } = payload;
  const forSelf = userId === actor.userId && actor.role === 'lecturer';
  if (!actor.isAdmin && !forSelf)
    return refuse('FORBIDDEN', 'A lecturer may register only their own courses.');
  const lecturer = state.user(userId);
  // A lecturer's token also counts when the table, written at an earlier visit, has another role.
  if (!lecturer || lecturer.isErased || !(forSelf || lecturer.role === 'lecturer'))
    return refuse('LECTURER_REQUIRED', `There is no lecturer ${userId}.`);
  const course: Course = {
    id: context.takeId('course'),
    courseName,
    userId,
    lecturerName: lecturer.username,
    capacity,
    status: 'open',
    completesAutomatically,
    videoCount: 0,
    subscriberCount: 0,
    waitingCount: 0,
    createdAt: context.now,
    modifiedAt: context.now,
    deletedAt: null,
  };
  const view = courseView(course);
  return accept(
    view,
    { courses: [course] },
    [event('courses.course.created', course.id, view)],
    true,
  );
}

/** Returns why the course's version does not allow a change, or null. */
function mismatch(course: Course, ifMatch: readonly string[] | null): CoursesDecision | null {
  if (ifMatch === null || ifMatch.includes(attributesTag(course))) return null;
  return refuse(
    'VERSION_MISMATCH',
    'The course changed after the version in If-Match. Read it again before you change it.',
  );
}

export function updateCourse({
  state,
  command,
  context,
}: CoursesInput<'courses.update-course'>): CoursesDecision {
  const { courseId, changes, ifMatch } = command.payload;
  const before = managed(state, command.actor, courseId);
  if ('decision' in before) return before;
  const stale = mismatch(before, ifMatch);
  if (stale) return stale;
  const changed: Course = { ...before, ...changes };
  if (attributesTag(changed) === attributesTag(before)) return accept(courseView(before), {}, []);
  const { capacity, subscriberCount } = changed;
  if (capacity !== null && capacity < subscriberCount) {
    return refuse(
      'CAPACITY_BELOW_SUBSCRIBERS',
      `Course ${courseId} has ${subscriberCount} subscribers, so its capacity cannot be ${capacity}.`,
      { courseId },
    );
  }
  const { course, events, ...seated } = letIn(
    state,
    { ...changed, modifiedAt: context.now },
    context.now,
  );
  const view = courseView(course);
  return accept(view, { ...seated, courses: [course] }, [
    event('courses.course.updated', courseId, view),
    ...events,
  ]);
}

export function deleteCourse({
  state,
  command,
  context,
}: CoursesInput<'courses.delete-course'>): CoursesDecision {
  const { courseId, ifMatch } = command.payload;
  const before = managed(state, command.actor, courseId);
  if ('decision' in before) return before;
  const stale = mismatch(before, ifMatch);
  if (stale) return stale;
  const inProgress = state.inProgress(courseId);
  if (inProgress > 0) {
    return refuse(
      'COURSE_HAS_SUBSCRIBERS',
      `${inProgress} users take course ${courseId}. Set its status to archived instead.`,
      { courseId },
    );
  }
  const left = state.line(courseId);
  const { now } = context;
  const course: Course = { ...before, waitingCount: 0, modifiedAt: now, deletedAt: now };
  return accept(null, { courses: [course], left }, [
    event('courses.course.deleted', courseId, { courseId }),
    ...left.map((wait) => event('courses.waitlist.left', courseId, leaver(wait))),
  ]);
}
