import Joi from 'joi';
import { INSTANT_MAX } from '../../shared/fields';
import { identityFields, userKey } from '../../shared/identity/commands';
import type { Endpoint, Input } from '../http/endpoint';
import { Problem } from '../http/responses/problem';
import { noContent } from '../openapi/doc';
import { hashPassword, verifyPassword } from './password';
import { findAccountOf } from './queries';
import type { SignIns } from './sign-ins';

/** What people do with their own account. */

interface PasswordChange {
  readonly currentPassword: string;
  readonly newPassword: string;
}

export const logout: Endpoint = {
  method: 'post',
  path: '/api/auth/logout',
  who: 'user',
  withFirstPassword: true,
  kind: 'write',
  doc: {
    id: 'logOut',
    tag: 'Accounts',
    summary: 'End this token',
    description: 'From the answer on, every API refuses the token with `TOKEN_REVOKED`.',
    answers: noContent('The token has ended.'),
  },
  command: ({ actor, token }) => {
    if (actor.userId === null || !token) throw new Error('logout is for those who are signed in');
    const { userId } = actor;
    // A provider may give tokens a fraction of a second, or an expiry that no database stores.
    const expiresAt = Math.min(Math.ceil(token.expiresAt * 1000), INSTANT_MAX);
    const payload = { userId, tokenId: token.id, expiresAt };
    return { type: 'identity.end-token', key: userKey(userId), payload };
  },
};

export const changePassword = (signIns: SignIns): Endpoint => ({
  method: 'put',
  path: '/api/users/me/password',
  who: 'user',
  withFirstPassword: true,
  kind: 'write',
  body: Joi.object({
    currentPassword: identityFields.givenPassword.required(),
    newPassword: identityFields.password.required(),
  }),
  doc: {
    id: 'changePassword',
    tag: 'Accounts',
    summary: 'Change your password',
    description:
      'Every token of the account ends, including the one of this request. Sign in again with the new password.',
    answers: noContent('The password is changed.'),
    problems: ['INVALID_CREDENTIALS'],
    example: { currentPassword: 'correct horse battery', newPassword: 'wrong horse battery' },
  },
  command: async (input: Input<PasswordChange>) => {
    const { currentPassword, newPassword } = input.body;
    const { userId } = input.actor;
    const found = userId === null ? null : await findAccountOf(userId);
    const wrong = () => new Problem('INVALID_CREDENTIALS', 'The current password is wrong.');
    if (!found) throw wrong();
    const {
      account: { username },
      passwordHash: stored,
      generation,
    } = found;
    if (
      !(await signIns.check({ username, userId }, input, (lane) =>
        verifyPassword(currentPassword, stored, lane),
      ))
    )
      throw wrong();
    const passwordHash = await hashPassword(newPassword);
    const payload = { userId: found.account.userId, passwordHash, generation };
    return { type: 'identity.change-password', key: userKey(payload.userId), payload };
  },
});
