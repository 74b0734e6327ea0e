import Joi from 'joi';
import { userKey } from '../../shared/identity/commands';
import type { Draft, Endpoint, Input } from '../http/endpoint';
import { listAnswer, pageRules, type Page } from '../http/requests/paging';
import { Problem } from '../http/responses/problem';
import { queryFlag } from '../http/requests/query-rules';
import { listed, noContent } from '../openapi/doc';
import { findNotices, hasNotice } from './queries';
import { notice } from './schemas';

/** Serves the caller's own notices. A notice of another user gets 404. */

function ownId({ actor }: Pick<Input, 'actor'>): number {
  if (actor.userId === null) throw new Error('notices are of those who are signed in');
  return actor.userId;
}

const read = (userId: number, noticeId: number | null): Draft => ({
  type: 'identity.read-notices',
  key: userKey(userId),
  payload: { userId, noticeId },
});

const list: Endpoint = {
  method: 'get',
  path: '/api/notices',
  who: 'user',
  kind: 'read',
  query: Joi.object({ unread: queryFlag(), ...pageRules() }),
  doc: {
    id: 'listNotices',
    tag: 'Accounts',
    summary: 'Your notices',
    description:
      'The newest first. The type is that of the event which made the notice: a hold is ready or has expired, a borrow is due soon, overdue or declared lost, a seat came free, a course is completed.',
    answers: listed(notice),
  },
  handle: async (input: Input<unknown, Page & { readonly unread?: boolean }>) => {
    const filters = { ...input.query, userId: ownId(input) };
    return listAnswer(input, filters, await findNotices(filters));
  },
};

const readOne: Endpoint = {
  method: 'post',
  path: '/api/notices/:noticeId/read',
  who: 'user',
  kind: 'write',
  doc: {
    id: 'readNotice',
    tag: 'Accounts',
    summary: 'Mark a notice as read',
    answers: noContent('The notice is read.'),
    problems: ['NOTICE_NOT_FOUND'],
  },
  command: async (input: Input) => {
    const [userId, noticeId] = [ownId(input), input.params['noticeId'] as number];
    if (!(await hasNotice(userId, noticeId)))
      throw new Problem('NOTICE_NOT_FOUND', 'You have no such notice.');
    return read(userId, noticeId);
  },
};

const readAll: Endpoint = {
  method: 'post',
  path: '/api/notices/read-all',
  who: 'user',
  kind: 'write',
  doc: {
    id: 'readAllNotices',
    tag: 'Accounts',
    summary: 'Mark every notice as read',
    answers: noContent('All notices are read.'),
  },
  command: (input: Input) => read(ownId(input), null),
};

export const noticeEndpoints: readonly Endpoint[] = [list, readOne, readAll];
