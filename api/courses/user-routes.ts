import Joi from 'joi';
import type { Cache } from '../../shared/cache/cache';
import { SUBSCRIPTION_STATUSES } from '../../shared/courses/commands';
import { accountSubject } from '../../shared/identity/tables';
import { coursesCacheKeys } from '../../shared/courses/views';
import type { Answer, Endpoint, Input } from '../http/endpoint';
import { pageRules } from '../http/requests/paging';
import { Problem } from '../http/responses/problem';
import { tagged, taggedList } from '../openapi/doc';
import { cachedEntity } from '../reads/cached-entity';
import { cachedPage } from '../reads/cached-list';
import { outlinedView } from './named-view';
import { findTakenCourses, findUser, type TakenCourses } from './queries';
import { takenCourse, user } from './schemas';

/** Users, and the courses that they take. */

/** Last resorts, milliseconds: a worker ends old views with a bump. */
const LIST_KEPT_MS = 60_000;
const USER_KEPT_MS = 300_000;

/** As it should be written, and twice as the document writes it: without a separator. */
const PATHS = {
  listTakenCourses: '/users/:userId/courses',
  listTakenCoursesJoined: '/users/:"userId"courses',
  listTakenCoursesOfUser: '/user/:"userId"courses',
};

/**
 * A list depends on the caller. Shared caches keep none of it, and a private cache asks again for
 * another token.
 */
const FOR_ONE_READER = { 'Cache-Control': 'private, no-cache', Vary: 'Authorization' };

async function userAnswer(cache: Cache, userId: number): Promise<Answer> {
  // That there is no such user is not kept: they may come at any time.
  return cachedEntity(
    cache,
    { view: `user:${userId}`, subject: accountSubject(userId), ttlMs: USER_KEPT_MS },
    async () => {
      const user = await findUser(userId);
      if (!user) throw new Problem('USER_NOT_FOUND', `There is no user ${userId}.`);
      return user;
    },
  );
}

const detail = (cache: Cache): Endpoint => ({
  method: 'get',
  path: '/users/:userId',
  who: 'public',
  kind: 'read',
  doc: {
    id: 'getUser',
    tag: 'Courses',
    summary: 'One user',
    answers: tagged(user),
    problems: ['USER_NOT_FOUND'],
  },
  handle: ({ params }: Input) => userAnswer(cache, params['userId'] as number),
});

const takenCourses = (cache: Cache, id: string, path: string): Endpoint => ({
  method: 'get',
  path,
  who: 'self',
  kind: 'read',
  query: Joi.object({
    status: Joi.string()
      .valid(...SUBSCRIPTION_STATUSES, 'all')
      .default('in_progress'),
    ...pageRules(),
  }),
  doc: {
    id,
    tag: 'Courses',
    summary: 'The courses that a user takes',
    answers: taggedList(takenCourse),
    problems: ['USER_NOT_FOUND'],
  },
  handle: async (input: Input<unknown, TakenCourses>) => {
    const { actor, query } = input;
    const userId = input.params['userId'] as number;
    // Callers are users, also when no worker has had the time to make their rows.
    if (userId !== actor.userId) await userAnswer(cache, userId);
    const subject = coursesCacheKeys.userCourses(userId);
    const view = {
      view: `${subject}:${query.status}:${query.page}:${query.size}`,
      subject,
      ttlMs: LIST_KEPT_MS,
    };
    return cachedPage(
      cache,
      await outlinedView(cache, view),
      input,
      () => findTakenCourses(userId, query),
      FOR_ONE_READER,
    );
  },
});

export const userEndpoints = (cache: Cache): Endpoint[] => [
  detail(cache),
  ...Object.entries(PATHS).map(([id, path]) => takenCourses(cache, id, path)),
];
