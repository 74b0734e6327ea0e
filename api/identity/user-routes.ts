import Joi from 'joi';
import {
  identityFields,
  RIGHTS_KEY,
  ROLES,
  USER_STATUSES,
  userChanges,
  userKey,
  type UserChanges,
} from '../../shared/identity/commands';
import { atMost } from '../../shared/fields';
import type { Endpoint, Input } from '../http/endpoint';
import { listAnswer, pageRules } from '../http/requests/paging';
import { Problem } from '../http/responses/problem';
import { queryBoolean, querySort } from '../http/requests/query-rules';
import { created, listed, noContent, shown } from '../openapi/doc';
import { newResetId, readResetToken, resetTokenOf, type Reset } from './reset-token';
import { passwordReset, user } from './schemas';
import { findUsers, USER_SORTS, type UserSearch } from './user-queries';

/** What administrators do with users. */

const RESET_TOKEN_LENGTH_MAX = 128;
const NAME_LENGTH_MAX = 255;

const list: Endpoint = {
  method: 'get',
  path: '/api/users',
  who: 'admin',
  kind: 'read',
  query: Joi.object({
    q: Joi.string().trim().custom(atMost(NAME_LENGTH_MAX)),
    role: Joi.string().valid(...ROLES),
    isAdmin: queryBoolean(),
    status: Joi.string().valid(...USER_STATUSES),
    sort: querySort(USER_SORTS, { field: 'createdAt', descending: true }),
    ...pageRules(),
  }),
  doc: {
    id: 'listUsers',
    tag: 'Accounts',
    summary: 'Users',
    description:
      '`q` is the beginning of the username, in any case for accounts that were made here.',
    answers: listed(user),
  },
  handle: async (input: Input<unknown, UserSearch>) =>
    listAnswer(input, input.query, await findUsers(input.query)),
};

const update: Endpoint = {
  method: 'patch',
  path: '/api/users/:userId',
  who: 'admin',
  kind: 'write',
  body: userChanges,
  doc: {
    id: 'updateUser',
    tag: 'Accounts',
    summary: "Change a user's rights or category",
    description:
      'Every token of the user ends when rights shrink. A user who is blocked cannot sign in.',
    answers: shown(user),
    problems: ['USER_NOT_FOUND', 'LAST_ADMINISTRATOR'],
    example: { status: 'blocked' },
  },
  command: ({ params, body }: Input<UserChanges>) => {
    const payload = { userId: params['userId'] as number, changes: body };
    return { type: 'identity.update-user', key: RIGHTS_KEY, payload };
  },
};

const erase: Endpoint = {
  method: 'delete',
  path: '/api/users/:userId',
  who: 'self',
  kind: 'write',
  doc: {
    id: 'eraseUser',
    tag: 'Accounts',
    summary: 'Erase a person',
    description:
      'Name, e-mail address and password are erased, and every token ends. What the person borrowed, posted and taught stays, under the name `deleted-{userId}`. Holds and subscriptions in progress are cancelled right after, each in the queue of its title or course. Books on loan stand in the way: `borrowIds` names up to 100 borrows.',
    answers: noContent('The person is erased.'),
    problems: ['USER_NOT_FOUND', 'USER_HAS_LOANS', 'LAST_ADMINISTRATOR'],
  },
  command: ({ params }: Input) => ({
    type: 'identity.erase-user',
    key: RIGHTS_KEY,
    payload: { userId: params['userId'] as number },
  }),
};

const issueReset = (secret: string): Endpoint => ({
  method: 'post',
  path: '/api/users/:userId/password-resets',
  who: 'admin',
  kind: 'write',
  doc: {
    id: 'issuePasswordReset',
    tag: 'Accounts',
    summary: 'Let a user set a new password',
    description:
      'Hand the token to the user. It works once, within 24 hours, and replaces an earlier one. The result at `statusUrl` contains no token: send the request again with its `Idempotency-Key`.',
    answers: created(passwordReset, { located: false }),
    problems: ['USER_NOT_FOUND'],
  },
  command: ({ params }: Input) => {
    const userId = params['userId'] as number;
    return {
      type: 'identity.issue-password-reset',
      key: userKey(userId),
      payload: { userId, resetId: newResetId() },
    };
  },
  decorate: ({ userId, resetId, expiresAt }) => ({
    resetToken: resetTokenOf({ userId, resetId } as Reset, secret),
    expiresAt,
  }),
});

interface NewPassword {
  readonly resetToken: string;
  readonly newPassword: string;
}

const useReset = (secret: string, hash: (password: string) => Promise<string>): Endpoint => ({
  method: 'post',
  path: '/api/auth/password',
  who: 'public',
  kind: 'write',
  body: Joi.object({
    resetToken: Joi.string().max(RESET_TOKEN_LENGTH_MAX).required(),
    newPassword: identityFields.password.required(),
  }),
  doc: {
    id: 'resetPassword',
    tag: 'Accounts',
    summary: 'Set a new password with a reset token',
    description: 'Every token of the account ends. Sign in with the new password.',
    answers: noContent('The password is set.'),
    problems: ['RESET_TOKEN_INVALID'],
    example: { resetToken: '7.Pz0…', newPassword: 'correct horse battery' },
  },
  command: async ({ body: { resetToken, newPassword } }: Input<NewPassword>) => {
    const reset = readResetToken(resetToken, secret);
    if (!reset)
      throw new Problem(
        'RESET_TOKEN_INVALID',
        'The reset token is not valid. Ask an administrator for a new one.',
      );
    const payload = { ...reset, passwordHash: await hash(newPassword) };
    return { type: 'identity.reset-password', key: userKey(reset.userId), payload };
  },
});

/** Serves users, with tokens of our own or of an identity provider. */
export const userAdminEndpoints: readonly Endpoint[] = [list, update, erase];

/** Password resets, where accounts are kept here. */
export const resetEndpoints = (
  secret: string,
  hash: Parameters<typeof useReset>[1],
): Endpoint[] => [issueReset(secret), useReset(secret, hash)];
