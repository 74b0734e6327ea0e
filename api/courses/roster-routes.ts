import Joi from 'joi';
import type { Sequelize } from 'sequelize-typescript';
import { courseFields, courseKey, SUBSCRIPTION_STATUSES } from '../../shared/courses/commands';
import { line } from '../../shared/fields';
import type { Draft, Endpoint, Input } from '../http/endpoint';
import { listAnswer, pageRules, type Page } from '../http/requests/paging';
import { listed, shown } from '../openapi/doc';
import { managedCourse } from './managed-course';
import { findRoster, findWaitlist, type RosterSearch } from './roster-queries';
import { bulk, rosterEntry, wait } from './schemas';

/** Who takes a course and who waits for it, for those who manage it. */

const FOR_MANAGERS = 'For the lecturer of the course and administrators.';

const roster = (database: Sequelize): Endpoint => ({
  method: 'get',
  path: '/courses/:courseId/subscriptions',
  who: 'user',
  kind: 'read',
  query: Joi.object({
    status: Joi.string()
      .valid(...SUBSCRIPTION_STATUSES, 'all')
      .default('all'),
    // A filter that is blank, as forms send it, is no filter.
    q: line(255).empty(''),
    ...pageRules(),
  }),
  doc: {
    id: 'listSubscriptions',
    tag: 'Courses',
    summary: 'The subscriptions to a course',
    description: `${FOR_MANAGERS} The latest first; \`q\` finds parts of usernames.`,
    answers: listed(rosterEntry),
    problems: ['FORBIDDEN', 'COURSE_NOT_FOUND'],
  },
  handle: async (input: Input<unknown, RosterSearch>) => {
    const { courseId } = await managedCourse(input);
    return listAnswer(input, input.query, await findRoster(database, courseId, input.query));
  },
});

const subscribeMany: Endpoint = {
  method: 'post',
  path: '/courses/:courseId/subscriptions/bulk',
  who: 'user',
  kind: 'write',
  body: Joi.object({ userIds: courseFields.userIds.required() }),
  doc: {
    id: 'subscribeUsers',
    tag: 'Courses',
    summary: 'Subscribe users to a course',
    description: `${FOR_MANAGERS} Users are subscribed in the order of the list, as many as there are seats; the others are listed with the code of their refusal.`,
    answers: shown(bulk),
    problems: ['FORBIDDEN', 'COURSE_NOT_FOUND', 'COURSE_CLOSED'],
    example: { userIds: [7, 8] },
  },
  command: async (input: Input<{ readonly userIds: readonly number[] }>): Promise<Draft> => {
    const { courseId } = await managedCourse(input);
    const { userIds } = input.body;
    return {
      type: 'courses.subscribe-many',
      key: courseKey(courseId),
      payload: { courseId, userIds },
    };
  },
};

const waitlist: Endpoint = {
  method: 'get',
  path: '/courses/:courseId/waitlist',
  who: 'user',
  kind: 'read',
  query: Joi.object(pageRules()),
  doc: {
    id: 'listWaitlist',
    tag: 'Courses',
    summary: 'Who waits for a course',
    description: `${FOR_MANAGERS} The first of the line first.`,
    answers: listed(wait),
    problems: ['FORBIDDEN', 'COURSE_NOT_FOUND'],
  },
  handle: async (input: Input<unknown, Page>) => {
    const { courseId } = await managedCourse(input);
    return listAnswer(input, input.query, await findWaitlist(courseId, input.query));
  },
};

export const rosterEndpoints = (database: Sequelize): Endpoint[] => [
  roster(database),
  subscribeMany,
  waitlist,
];
