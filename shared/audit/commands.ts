import type { Envelope } from '../command';

/** Which commands are audited. API and workers must agree on it. */

/** Commands that programs send by themselves, for whoever reads or for nobody. */
const OF_PROGRAMS: ReadonlySet<string> = new Set(['identity.ensure-user', 'identity.probe']);
/** Commands of accounts that change nothing about who may do what. */
const READ_NOTICES = 'identity.read-notices';
const SIGN_UP = 'identity.create-account';

type Asked = Pick<Envelope, 'type' | 'actor' | 'payload'>;

/**
 * Whether a command is audited: every one of an administrator or lecturer, and every change of an
 * account but a sign-up without rights and what somebody has read. Those of the clock have no
 * actor.
 */
export function isAudited({ type, actor, payload }: Asked): boolean {
  if (OF_PROGRAMS.has(type)) return false;
  if (actor.userId !== null && (actor.isAdmin || actor.role === 'lecturer')) return true;
  if (!type.startsWith('identity.')) return false;
  if (type === READ_NOTICES) return false;
  return type !== SIGN_UP || givesRights(payload);
}

function givesRights(payload: unknown): boolean {
  const { role, isAdmin } = payload as { readonly role?: unknown; readonly isAdmin?: unknown };
  return isAdmin === true || role === 'lecturer';
}
