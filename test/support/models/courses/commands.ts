import type { Actor } from '../../../../shared/command';
import type { CoursesCommand, CoursesCommands } from '../../../../shared/courses/commands';
import { randomDigits } from '../random-digits';

/** Commands as the API makes them. */

export const user = (userId: number): Actor => ({
  userId,
  username: `user-${userId}`,
  role: 'user',
  isAdmin: false,
});
export const lecturer = (userId: number): Actor => ({ ...user(userId), role: 'lecturer' });
export const admin = (userId = 1): Actor => ({ ...user(userId), isAdmin: true });

/** Returns a command with a new id. */
function command<Type extends keyof CoursesCommands>(
  type: Type,
  actor: Actor,
  payload: CoursesCommands[Type],
): CoursesCommand {
  const key = 'courseId' in payload ? `course:${payload.courseId}` : 'course-of:test';
  const now = Date.now();
  return {
    ...{
      commandId: randomDigits(40),
      type,
      key,
      actor,
      payload,
      requestId: `request-${randomDigits(8)}`,
    },
    ...{ createdAt: now, replyTo: 'replies.test', replyBy: now + 600_000, traceparent: null },
  } as CoursesCommand;
}

export const register = (
  actor: Actor,
  userId: number,
  capacity: number | null = null,
  courseName = 'Chess',
) => command('courses.register-course', actor, { courseName, userId, capacity });

export const addVideo = (
  actor: Actor,
  courseId: number,
  position: number | null = null,
  title = 'Opening',
) =>
  command('courses.add-video', actor, {
    courseId,
    title,
    url: 'https://video.test/1',
    position,
    durationSeconds: null,
  });

export const updateCourse = (
  actor: Actor,
  courseId: number,
  changes: CoursesCommands['courses.update-course']['changes'],
  ifMatch: readonly string[] | null = null,
) => command('courses.update-course', actor, { courseId, changes, ifMatch });
export const deleteCourse = (
  actor: Actor,
  courseId: number,
  ifMatch: readonly string[] | null = null,
) => command('courses.delete-course', actor, { courseId, ifMatch });
export const updateVideo = (
  actor: Actor,
  courseId: number,
  videoId: number,
  changes: CoursesCommands['courses.update-video']['changes'],
) => command('courses.update-video', actor, { courseId, videoId, changes });
export const deleteVideo = (actor: Actor, courseId: number, videoId: number) =>
  command('courses.delete-video', actor, { courseId, videoId });
export const subscribeMany = (actor: Actor, courseId: number, userIds: readonly number[]) =>
  command('courses.subscribe-many', actor, { courseId, userIds });

export const subscribe = (courseId: number, userId: number, actor = user(userId)) =>
  command('courses.subscribe', actor, { courseId, userId });
export const cancel = (courseId: number, userId: number, actor = user(userId)) =>
  command('courses.cancel-subscription', actor, { courseId, userId });
export const complete = (courseId: number, userId: number, actor = user(userId)) =>
  command('courses.complete-subscription', actor, { courseId, userId });
export const join = (courseId: number, userId: number, actor = user(userId)) =>
  command('courses.join-waitlist', actor, { courseId, userId });
export const leave = (courseId: number, userId: number, actor = user(userId)) =>
  command('courses.leave-waitlist', actor, { courseId, userId });
export const completeVideo = (
  courseId: number,
  userId: number,
  videoId: number,
  actor = user(userId),
) => command('courses.complete-video', actor, { courseId, userId, videoId });
export const uncompleteVideo = (
  courseId: number,
  userId: number,
  videoId: number,
  actor = user(userId),
) => command('courses.uncomplete-video', actor, { courseId, userId, videoId });
