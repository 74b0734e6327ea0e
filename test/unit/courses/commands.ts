import { randomBytes } from 'node:crypto';
import type { Actor } from '../../../shared/command';
import type { CoursesCommand, CoursesCommands } from '../../../shared/courses/commands';

/** Commands as the API makes them. */

export const user = (userId: number): Actor => ({
  userId,
  username: `user-${userId}`,
  role: 'user',
  isAdmin: false,
});
export const lecturer = (userId: number): Actor => ({ ...user(userId), role: 'lecturer' });
export const admin = (userId = 1): Actor => ({ ...user(userId), isAdmin: true });

/** A command with an id of its own. */
function command<Type extends keyof CoursesCommands>(
  type: Type,
  actor: Actor,
  payload: CoursesCommands[Type],
): CoursesCommand {
  const key = 'courseId' in payload ? `course:${payload.courseId}` : 'course-of:test';
  const now = Date.now();
  return {
    ...{
      commandId: randomBytes(20).toString('hex'),
      type,
      key,
      actor,
      payload,
      requestId: `request-${randomBytes(4).toString('hex')}`,
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

export const subscribe = (courseId: number, userId: number, actor = user(userId)) =>
  command('courses.subscribe', actor, { courseId, userId });
export const cancel = (courseId: number, userId: number, actor = user(userId)) =>
  command('courses.cancel-subscription', actor, { courseId, userId });
export const complete = (courseId: number, userId: number, actor = user(userId)) =>
  command('courses.complete-subscription', actor, { courseId, userId });
