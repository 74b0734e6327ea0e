import type { AuditEntry } from '../../shared/audit/entry';
import type { Ending, Envelope } from '../../shared/command';
import { userKey } from '../../shared/identity/commands';
import type { Decision } from './decision';

/** The aggregate that a command made or changed, else the one that it was meant for. */
function targetOf({ type, key }: Envelope, decision: Decision | undefined): string {
  if (decision?.kind !== 'done') return key;
  const { userId } = (decision.result ?? {}) as { readonly userId?: number };
  if (type === 'identity.create-account' && userId !== undefined) return userKey(userId);
  return decision.events[0]?.aggregateId ?? key;
}

/** What the audit tells of a command that ended. `decision` is absent when nobody decided it. */
export function auditEntry(envelope: Envelope, ending: Ending, decision: Decision | undefined, at: Date): AuditEntry {
  const { commandId, actor, type, payload, address = null, requestId } = envelope;
  const code = ending.status === 'failed' ? { code: ending.refusal.code } : {};
  const facts = { status: ending.status, ...code, commandId };
  return { at, actor, action: type, target: targetOf(envelope, decision), facts, payload, address, requestId };
}
