import Joi from 'joi';
import { courseKey } from '../../shared/courses/commands';
import type { Draft, Endpoint, Input } from '../http/endpoint';
import { Problem } from '../http/responses/problem';
import { created, noContent, shown, type EndpointDoc } from '../openapi/doc';
import { findSubscription } from './queries';
import { subscription as subscriptionSchema, wait } from './schemas';

/**
 * Subscriptions, in both of the document's forms: `/courses/...` is for the caller, `/users/...`
 * names the user.
 */

type SubscriptionType =
  | 'courses.subscribe'
  | 'courses.cancel-subscription'
  | 'courses.complete-subscription'
  | 'courses.join-waitlist'
  | 'courses.leave-waitlist';

const OWN = '/courses/:courseId/subscriptions';
const OF_USER = '/users/:userId/courses/:courseId/subscriptions';

function commandOf(type: SubscriptionType) {
  return ({ params, actor }: Input): Draft => {
    const courseId = params['courseId'] as number;
    const userId = (params['userId'] ?? actor.userId) as number;
    return { type, key: courseKey(courseId), payload: { courseId, userId } };
  };
}

const NOT_THERE = ['COURSE_NOT_FOUND', 'USER_NOT_FOUND'] as const;

function docOf(method: 'post' | 'delete', path: typeof OWN | typeof OF_USER): EndpointDoc {
  const whose = path === OWN ? '' : 'User';
  return method === 'post'
    ? {
        id: `subscribe${whose}`,
        tag: 'Courses',
        summary: 'Take a course',
        description: 'A cancelled subscription comes back, under the same id.',
        answers: created(subscriptionSchema),
        problems: [...NOT_THERE, 'ALREADY_SUBSCRIBED', 'COURSE_CLOSED', 'COURSE_FULL'],
      }
    : {
        id: `unsubscribe${whose}`,
        tag: 'Courses',
        summary: 'Leave a course',
        description: 'The seat goes to the first user on the waitlist.',
        answers: noContent('Left.'),
        problems: [...NOT_THERE, 'SUBSCRIPTION_NOT_FOUND', 'SUBSCRIPTION_COMPLETED'],
      };
}

const subscription = (method: 'post' | 'delete', path: typeof OWN | typeof OF_USER): Endpoint => {
  const type = method === 'post' ? 'courses.subscribe' : 'courses.cancel-subscription';
  return {
    method,
    path,
    who: path === OWN ? 'user' : 'self',
    kind: 'write',
    doc: docOf(method, path),
    location: ({ userId, courseId }) =>
      `/users/${String(userId)}/courses/${String(courseId)}/subscriptions`,
    command: commandOf(type),
  };
};

const one: Endpoint = {
  method: 'get',
  path: OF_USER,
  who: 'self',
  kind: 'read',
  doc: {
    id: 'getSubscription',
    tag: 'Courses',
    summary: 'One subscription of a user',
    answers: shown(subscriptionSchema),
    problems: ['SUBSCRIPTION_NOT_FOUND'],
  },
  handle: async ({ params }: Input) => {
    const [userId, courseId] = [params['userId'] as number, params['courseId'] as number];
    const found = await findSubscription(userId, courseId);
    if (!found)
      throw new Problem(
        'SUBSCRIPTION_NOT_FOUND',
        `User ${userId} does not take course ${courseId}.`,
      );
    return { status: 200, body: found };
  },
};

const complete: Endpoint = {
  method: 'patch',
  path: '/users/:userId/courses/:courseId/status',
  who: 'self',
  kind: 'write',
  // A request without a body asks for the one thing that this path is for.
  body: Joi.object({ status: Joi.string().valid('completed') }),
  doc: {
    id: 'completeCourse',
    tag: 'Courses',
    summary: 'Complete a course',
    answers: shown(subscriptionSchema),
    problems: [...NOT_THERE, 'SUBSCRIPTION_NOT_FOUND'],
    example: { status: 'completed' },
  },
  command: commandOf('courses.complete-subscription'),
};

type CompletionType = 'courses.complete-video' | 'courses.uncomplete-video';

const completion = (method: 'put' | 'delete', type: CompletionType): Endpoint => ({
  method,
  path: '/users/:userId/courses/:courseId/videos/:videoId/completion',
  who: 'self',
  kind: 'write',
  doc: {
    id: method === 'put' ? 'completeVideo' : 'uncompleteVideo',
    tag: 'Courses',
    summary: method === 'put' ? 'Complete a video' : 'Mark a video as not completed',
    description:
      method === 'put'
        ? 'The last video completes the course, where `completesAutomatically` is true. Deleting a video completes nobody.'
        : 'A course that is completed stays so.',
    answers: shown(subscriptionSchema),
    problems: [...NOT_THERE, 'VIDEO_NOT_FOUND', 'SUBSCRIPTION_NOT_FOUND'],
  },
  command: ({ params }: Input): Draft => {
    const courseId = params['courseId'] as number;
    const [userId, videoId] = [params['userId'] as number, params['videoId'] as number];
    return { type, key: courseKey(courseId), payload: { courseId, userId, videoId } };
  },
});

const WAITLIST = '/courses/:courseId/waitlist';

const join: Endpoint = {
  method: 'post',
  path: WAITLIST,
  who: 'user',
  kind: 'write',
  doc: {
    id: 'joinWaitlist',
    tag: 'Courses',
    summary: 'Join the waitlist',
    description:
      'For a course that is full. A seat that comes free goes to the first in line, at once.',
    answers: created(wait, { located: false }),
    problems: [
      ...NOT_THERE,
      'ALREADY_SUBSCRIBED',
      'ALREADY_WAITING',
      'COURSE_CLOSED',
      'SEATS_AVAILABLE',
      'WAITLIST_FULL',
    ],
  },
  command: commandOf('courses.join-waitlist'),
};

const leave: Endpoint = {
  method: 'delete',
  path: WAITLIST,
  who: 'user',
  kind: 'write',
  doc: {
    id: 'leaveWaitlist',
    tag: 'Courses',
    summary: 'Leave the waitlist',
    answers: noContent('Left.'),
    problems: [...NOT_THERE, 'WAITLIST_ENTRY_NOT_FOUND'],
  },
  command: commandOf('courses.leave-waitlist'),
};

export const subscriptionEndpoints: readonly Endpoint[] = [
  one,
  ...([OWN, OF_USER] as const).flatMap((path) => [
    subscription('post', path),
    subscription('delete', path),
  ]),
  complete,
  completion('put', 'courses.complete-video'),
  completion('delete', 'courses.uncomplete-video'),
  join,
  leave,
];
