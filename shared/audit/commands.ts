import type { Envelope } from '../command';

/** Decides which commands are audited. The API and the workers must agree on this. */

/** Commands that programs send by themselves, when somebody reads or on behalf of nobody. */
const OF_PROGRAMS: ReadonlySet<string> = new Set(['identity.ensure-user', 'identity.probe']);
/** Commands of accounts that change nobody's rights. */
const READ_NOTICES = 'identity.read-notices';
const SIGN_UP = 'identity.create-account';

type Asked = Pick<Envelope, 'type' | 'actor' | 'payload'>;

/**
 * Returns whether a command is audited. Every command of an administrator or lecturer is, and every
 * change of an account. The exceptions are sign-ups without rights and notices that were read.
 * Commands of the clock have no actor and are not audited.
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
