import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answered, client, type Schemas } from '../../shared/client';
import { LIVE } from '../../shared/look-again';

/** What the pages ask about courses. */

const COURSES_SIZE = 10;
/** The most that the service gives at once. */
const ALL = 100;

export type Course = Schemas['Course'];
export type Video = Schemas['Video'];
export type Subscription = Schemas['Subscription'];

export const coursesQuery = (q: string, page: number) =>
  queryOptions({
    queryKey: ['courses', q, page],
    queryFn: ({ signal }) =>
      answered(
        client.request('GET', '/courses', {
          query: { ...(q && { q }), page, size: COURSES_SIZE },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

export const courseQuery = (courseId: number) =>
  queryOptions({
    queryKey: ['course', courseId],
    queryFn: ({ signal }) =>
      answered(client.request('GET', '/courses/{courseId}', { path: { courseId }, signal })),
    meta: LIVE,
  });

/** All that a reader has to do with courses; one list, so that all places show the same. */
export const takenCoursesQuery = (userId: number) =>
  queryOptions({
    queryKey: ['courses', 'taken', userId],
    queryFn: ({ signal }) =>
      answered(
        client.request('GET', '/users/{userId}/courses', {
          path: { userId },
          query: { status: 'all', size: ALL },
          signal,
        }),
      ),
  });

/** Which videos somebody has completed, and the place in the line of who waits. */
export const progressQuery = (userId: number, courseId: number) =>
  queryOptions({
    queryKey: ['courses', 'progress', userId, courseId],
    queryFn: ({ signal }) =>
      answered(
        client.request('GET', '/users/{userId}/courses/{courseId}/progress', {
          path: { userId, courseId },
          signal,
        }),
      ),
  });

/** The courses of a lecturer. */
export const taughtCoursesQuery = (userId: number) =>
  queryOptions({
    queryKey: ['courses', 'taught', userId],
    queryFn: ({ signal }) =>
      answered(client.request('GET', '/courses', { query: { userId, size: ALL }, signal })),
  });

export type RosterStatus = Schemas['RosterEntry']['status'] | 'all';

export const rosterQuery = (courseId: number, status: RosterStatus, q: string, page: number) =>
  queryOptions({
    queryKey: ['roster', courseId, status, q, page],
    queryFn: ({ signal }) =>
      answered(
        client.request('GET', '/courses/{courseId}/subscriptions', {
          path: { courseId },
          query: { status, ...(q && { q }), page, size: COURSES_SIZE },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

export const waitlistQuery = (courseId: number, page: number) =>
  queryOptions({
    queryKey: ['waitlist', courseId, page],
    queryFn: ({ signal }) =>
      answered(
        client.request('GET', '/courses/{courseId}/waitlist', {
          path: { courseId },
          query: { page, size: COURSES_SIZE },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

export const videosQuery = (courseId: number) =>
  queryOptions({
    queryKey: ['videos', courseId],
    queryFn: ({ signal }) =>
      answered(
        client.request('GET', '/courses/{courseId}/videos', {
          path: { courseId },
          query: { size: ALL },
          signal,
        }),
      ),
  });
