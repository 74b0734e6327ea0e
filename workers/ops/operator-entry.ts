import { hostname, userInfo } from 'node:os';
import type { AuditEntry } from '../../shared/audit/entry';

/** Returns the audit entry of an operator's command. Operators have a shell and no account. */

function operatorName(): string {
  try {
    return `ops:${userInfo().username}`;
  } catch {
    // A container may run as a user without a name.
    return 'ops';
  }
}

export interface Operation {
  readonly action: string;
  readonly target?: string | null;
  readonly facts?: AuditEntry['facts'];
}

export function operatorEntry({ action, target = null, facts = {} }: Operation): AuditEntry {
  const actor = { userId: null, username: operatorName() };
  return { at: new Date(), actor, action, target, facts, address: hostname(), requestId: null };
}
