import type { Sequelize } from 'sequelize-typescript';
import type { Cache } from '../../shared/cache/cache';
import type { Endpoint } from '../http/endpoint';
import { courseChanges } from './course-changes';
import { courseEndpoints } from './course-routes';
import { progressEndpoint } from './progress-routes';
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
  progressEndpoint,
  ...userEndpoints(cache),
];
