import type { Actor } from '../../shared/command';
import type { Input } from '../http/endpoint';
import { Problem } from '../http/responses/problem';
import { findCourseNumbers } from './queries';

/** Courses as those see them who manage them. */

export const noSuchCourse = (courseId: number): Problem =>
  new Problem('COURSE_NOT_FOUND', `There is no course ${courseId}.`);

interface CourseNumbers {
  readonly courseId: number;
  /** The lecturer. */
  readonly userId: number;
  readonly videoCount: number;
}

/** Returns the course that the path names. @throws Problem COURSE_NOT_FOUND */
export async function namedCourse({ params }: Pick<Input, 'params'>): Promise<CourseNumbers> {
  const courseId = params['courseId'] as number;
  const course = await findCourseNumbers(courseId);
  if (!course) throw noSuchCourse(courseId);
  return { ...course, courseId };
}

/** Returns whether somebody is the lecturer of a course, or an administrator. */
export const manages = ({ isAdmin, userId }: Actor, course: CourseNumbers): boolean =>
  isAdmin || course.userId === userId;

/** Returns the course that the path names, when the actor may change it. @throws Problem */
export async function managedCourse(
  input: Pick<Input, 'params'> & { readonly actor: Actor },
): Promise<CourseNumbers> {
  const course = await namedCourse(input);
  if (manages(input.actor, course)) return course;
  throw new Problem(
    'FORBIDDEN',
    'Only an administrator or the lecturer of the course may do this.',
  );
}
