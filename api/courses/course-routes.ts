import { createHash } from 'node:crypto';
import Joi from 'joi';
import type { Sequelize } from 'sequelize-typescript';
import type { Cache } from '../../shared/cache/cache';
import { courseFields } from '../../shared/courses/commands';
import { courseEtag, coursesCacheKeys } from '../../shared/courses/views';
import { id, line } from '../../shared/fields';
import type { Draft, Endpoint, Input } from '../http/endpoint';
import { pageRules } from '../http/requests/paging';
import { Problem } from '../http/responses/problem';
import { queryId, querySort } from '../http/requests/query-rules';
import { created, tagged, taggedList } from '../openapi/doc';
import { cachedEntity } from '../reads/cached-entity';
import { cachedPage } from '../reads/cached-list';
import { noSuchCourse } from './managed-course';
import { namedView } from './named-view';
import { COURSE_SORTS, findCourse, findUser, searchCourses, type CourseSearch } from './queries';
import { course as courseSchema } from './schemas';

/** Courses: registering, search and detail. */

/** Last resorts, milliseconds: a worker's bump ends a view as soon as it is old. */
const DETAIL_KEPT_MS = 300_000;
const SEARCH_KEPT_MS = 60_000;

function noSuchLecturer(userId: number): Problem {
  const message = `userId must be a lecturer, and user ${userId} is not one`;
  return new Problem('LECTURER_REQUIRED', `${message}.`, {
    extras: { errors: [{ field: 'userId', code: 'LECTURER_REQUIRED', message }] },
  });
}

interface Registration {
  readonly courseName: string;
  readonly userId?: number;
  readonly capacity: number | null;
  readonly completesAutomatically?: boolean;
}

const register: Endpoint = {
  method: 'post',
  path: '/courses',
  who: 'lecturer',
  kind: 'write',
  body: Joi.object({
    courseName: courseFields.courseName.required(),
    userId: id,
    capacity: courseFields.capacity.default(null),
    completesAutomatically: courseFields.completesAutomatically,
  }),
  doc: {
    id: 'registerCourse',
    tag: 'Courses',
    summary: 'Register a course',
    description: 'A lecturer registers their own; an administrator names the lecturer.',
    answers: created(courseSchema),
    problems: ['LECTURER_REQUIRED'],
    example: { courseName: 'Compilers', userId: 21, capacity: 100 },
  },
  location: ({ courseId }) => `/courses/${String(courseId)}`,
  command: async ({ body, actor }: Input<Registration>): Promise<Draft> => {
    const self = actor.userId as number;
    const { userId = self } = body;
    if (!actor.isAdmin && userId !== self)
      throw new Problem(
        'FORBIDDEN',
        'userId must be your own id. Only an administrator may register a course for somebody else.',
      );
    const forSelf = userId === self && actor.role === 'lecturer';
    if (!forSelf && (await findUser(userId))?.role !== 'lecturer') throw noSuchLecturer(userId);
    const payload = { ...body, userId };
    // Equal registrations share a key, so that one sent again goes to the same partition.
    return {
      type: 'courses.register-course',
      key: `course-of:${createHash('sha1').update(JSON.stringify(payload)).digest('hex')}`,
      payload,
    };
  },
};

/** Returns one cache name for all spellings of a search. */
function searchView({ q, userId, status, sort, page, size }: CourseSearch): string {
  return `courses:search:${createHash('sha1')
    .update(JSON.stringify([q, userId, status, sort.field, sort.descending, page, size]))
    .digest('base64url')}`;
}

const search = (database: Sequelize, cache: Cache): Endpoint => ({
  method: 'get',
  path: '/courses',
  who: 'public',
  kind: 'read',
  // A filter that is blank, as forms send it, is no filter.
  query: Joi.object({
    q: line(255).empty(''),
    userId: queryId(),
    status: courseFields.status,
    sort: querySort(COURSE_SORTS, { field: 'createdAt', descending: true }),
    ...pageRules(),
  }),
  doc: {
    id: 'searchCourses',
    tag: 'Courses',
    summary: 'Search courses',
    description: "`q` finds parts of names; `userId` is the lecturer's.",
    answers: taggedList(courseSchema),
  },
  handle: async (input: Input<unknown, CourseSearch>) => {
    const { query } = input;
    const view = {
      view: searchView(query),
      subject: coursesCacheKeys.courses,
      ttlMs: SEARCH_KEPT_MS,
    };
    return cachedPage(cache, await namedView(cache, view), input, () =>
      searchCourses(database, query),
    );
  },
});

const detail = (cache: Cache): Endpoint => ({
  method: 'get',
  path: '/courses/:courseId',
  who: 'public',
  kind: 'read',
  doc: {
    id: 'getCourse',
    tag: 'Courses',
    summary: 'One course',
    answers: tagged(courseSchema),
    problems: ['COURSE_NOT_FOUND'],
  },
  handle: async ({ params }: Input) => {
    const courseId = params['courseId'] as number;
    const name = coursesCacheKeys.course(courseId);
    const view = await namedView(cache, { view: name, subject: name, ttlMs: DETAIL_KEPT_MS });
    const load = async () => {
      const course = await findCourse(courseId);
      if (!course) throw noSuchCourse(courseId);
      return course;
    };
    return cachedEntity(cache, view, load, courseEtag);
  },
});

export const courseEndpoints = (database: Sequelize, cache: Cache): Endpoint[] => [
  register,
  search(database, cache),
  detail(cache),
];
