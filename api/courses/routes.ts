import type { Sequelize } from 'sequelize-typescript';
import type { Cache } from '../../shared/cache/cache';
import type { CoursesCommands } from '../../shared/courses/commands';
import type { Endpoint } from '../http/endpoint';
import { courseEtag, type CourseView } from '../../shared/courses/views';
import { courseChanges } from './course-changes';
import { courseEndpoints } from './course-routes';
import { rosterEndpoints } from './roster-routes';
import { subscriptionEndpoints } from './subscription-routes';
import { syllabusEndpoints } from './syllabus-routes';
import { userEndpoints } from './user-routes';
import { videoEndpoints } from './video-routes';

/** Everything that the course service serves. */

export interface CoursesEndpointsOptions {
  readonly database: Sequelize;
  readonly cache: Cache;
}

export const coursesEndpoints = ({ database, cache }: CoursesEndpointsOptions): Endpoint[] => [
  ...courseEndpoints(database, cache),
  ...courseChanges,
  ...videoEndpoints,
  ...syllabusEndpoints(cache),
  ...rosterEndpoints(database),
  ...subscriptionEndpoints,
  ...userEndpoints(cache),
];

/** `Location` of what a command made, from its result. */
export const coursesLocations: Partial<
  Record<keyof CoursesCommands, (result: Readonly<Record<string, unknown>>) => string>
> = {
  'courses.register-course': ({ courseId }) => `/courses/${String(courseId)}`,
};

/** ETags of what commands changed, from their results. */
export const coursesEtags: Partial<
  Record<keyof CoursesCommands, (result: Readonly<Record<string, unknown>>) => string>
> = {
  'courses.update-course': (result) => courseEtag(result as unknown as CourseView),
};
