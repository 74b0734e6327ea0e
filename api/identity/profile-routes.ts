import { profileChanges, userKey, type ProfileChanges } from '../../shared/identity/commands';
import type { Endpoint, Input } from '../http/endpoint';
import { Problem } from '../http/responses/problem';
import { shown } from '../openapi/doc';
import { findProfile, type ProfileCounts } from './user-queries';
import { ownProfile, profile } from './schemas';

/** Serves the profile that users see and change themselves, whoever issued their tokens. */

/** Counts what the services have of a user. */
export type CountsOf = (userId: number) => Promise<ProfileCounts>;

const getProfile = (countsOf: CountsOf): Endpoint => ({
  method: 'get',
  path: '/api/users/me',
  who: 'user',
  withFirstPassword: true,
  kind: 'read',
  doc: {
    id: 'getProfile',
    tag: 'Accounts',
    summary: 'Your account',
    description: 'With the number of open borrows, holds, courses in progress and unread notices.',
    answers: shown(ownProfile),
    problems: ['USER_NOT_FOUND'],
  },
  handle: async ({ actor }: Input) => {
    const { userId } = actor;
    if (userId === null) throw new Error('a profile is of those who are signed in');
    const [found, counts] = await Promise.all([findProfile(userId), countsOf(userId)]);
    if (!found) throw new Problem('USER_NOT_FOUND', 'There is no account for this token.');
    return { status: 200, headers: { 'Cache-Control': 'no-store' }, body: { ...found, counts } };
  },
});

const updateProfile: Endpoint = {
  method: 'patch',
  path: '/api/users/me',
  who: 'user',
  kind: 'write',
  body: profileChanges,
  doc: {
    id: 'updateProfile',
    tag: 'Accounts',
    summary: 'Change your e-mail address or language',
    answers: shown(profile),
    problems: ['USER_NOT_FOUND'],
    example: { email: 'ada@example.org', locale: 'ko' },
  },
  command: ({ actor, body }: Input<ProfileChanges>) => {
    if (actor.userId === null) throw new Error('a profile is changed by those who are signed in');
    const { userId } = actor;
    return {
      type: 'identity.update-profile',
      key: userKey(userId),
      payload: { userId, changes: body },
    };
  },
};

export const profileEndpoints = (countsOf: CountsOf): Endpoint[] => [
  getProfile(countsOf),
  updateProfile,
];
