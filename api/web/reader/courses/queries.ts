import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answered, client, type Schemas } from '../../shared/client';

/** What the pages ask about courses. */

const COURSES_SIZE = 10;
/** The most that the service gives at once. */
const ALL = 100;
/** How often places of a course are looked at again, milliseconds: others take them. */
const LOOK_AGAIN_MS = 3000;

export type Course = Schemas['Course'];

export const coursesQuery = (q: string, page: number) =>
  queryOptions({
    queryKey: ['courses', q, page],
    queryFn: ({ signal }) =>
      answered(
        client.GET('/courses', {
          params: { query: { ...(q && { q }), page, size: COURSES_SIZE } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

export const courseQuery = (courseId: number) =>
  queryOptions({
    queryKey: ['course', courseId],
    queryFn: ({ signal }) =>
      answered(client.GET('/courses/{courseId}', { params: { path: { courseId } }, signal })),
    refetchInterval: LOOK_AGAIN_MS,
  });

/** All that a reader has to do with courses; one list, so that all places show the same. */
export const takenCoursesQuery = (userId: number) =>
  queryOptions({
    queryKey: ['courses', 'taken', userId],
    queryFn: ({ signal }) =>
      answered(
        client.GET('/users/{userId}/courses', {
          params: { path: { userId }, query: { status: 'all', size: ALL } },
          signal,
        }),
      ),
  });

/** For the lecturer and administrators. */
export const videosQuery = (courseId: number) =>
  queryOptions({
    queryKey: ['videos', courseId],
    queryFn: ({ signal }) =>
      answered(
        client.GET('/courses/{courseId}/videos', {
          params: { path: { courseId }, query: { size: ALL } },
          signal,
        }),
      ),
  });
