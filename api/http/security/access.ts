import type { Actor } from '../../../shared/command';
import { allowsFirstPassword, type Endpoint } from '../endpoint';
import type { RequestContext } from '../request-context';
import { parseId } from '../requests/path-params';
import { Problem } from '../responses/problem';

/** Who may call an endpoint. */

const ONLY = {
  self: 'Only this user or an administrator may do this.',
  lecturer: 'Only a lecturer or an administrator may do this.',
  admin: 'Only an administrator may do this.',
};

export function checkFirstPassword(
  endpoint: Endpoint,
  { mustChangePassword = false }: RequestContext,
): void {
  if (!mustChangePassword || allowsFirstPassword(endpoint)) return;
  throw new Problem(
    'PASSWORD_CHANGE_REQUIRED',
    'This password was made for you. Choose your own with PUT /api/users/me/password, and sign in with it.',
  );
}

export function checkRole(
  { who }: Endpoint,
  actor: Actor,
  params: Readonly<Record<string, unknown>>,
): void {
  if (who === 'public') return;
  if (actor.userId === null)
    throw new Problem(
      'UNAUTHENTICATED',
      'Sign in, and send the token as "Authorization: Bearer <token>".',
    );
  if (who === 'user' || actor.isAdmin) return;
  if (who === 'lecturer' && actor.role === 'lecturer') return;
  if (who === 'self') {
    const named = parseId(String(params['userId']));
    // A path with an invalid id is answered with INVALID_ID.
    if (named === null || named === actor.userId) return;
  }
  throw new Problem('FORBIDDEN', ONLY[who]);
}
