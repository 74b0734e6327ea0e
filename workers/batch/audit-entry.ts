import type { AuditEntry } from '../../shared/audit/entry';
import type { Ending, Envelope } from '../../shared/command';
import { userKey } from '../../shared/identity/commands';
import { erasedName } from '../../shared/identity/names';
import type { Decision } from './service/decision';

/** The aggregate that a command made or changed, else the one that it was meant for. */
function targetOf({ type, key, payload }: Envelope, decision: Decision | undefined): string {
  // Its key is that of all rights.
  if (type === 'identity.erase-user')
    return userKey((payload as { readonly userId: number }).userId);
  const result = decision?.kind === 'done' ? (decision.result ?? {}) : {};
  const { webhookId = (payload as { readonly webhookId?: number }).webhookId } = result as {
    readonly webhookId?: number;
  };
  if (webhookId !== undefined) return `webhook:${webhookId}`;
  if (decision?.kind !== 'done') return key;
  const { userId } = result as { readonly userId?: number };
  if (type === 'identity.create-account' && userId !== undefined) return userKey(userId);
  return decision.events[0]?.aggregateId ?? key;
}

/** Whether the sender is nobody any more once the command has ended so. */
function isOfErased({ type, actor, payload }: Envelope, ending: Ending): boolean {
  if (ending.status === 'failed') return ending.refusal.code === 'TOKEN_REVOKED';
  return (
    type === 'identity.erase-user' &&
    (payload as { readonly userId: number }).userId === actor.userId
  );
}

/** Who is told to have sent it, from where: of an erased person neither name nor address. */
function originOf(envelope: Envelope, ending: Ending): Pick<AuditEntry, 'actor' | 'address'> {
  const { actor, address = null } = envelope;
  if (actor.userId === null || !isOfErased(envelope, ending)) return { actor, address };
  return { actor: { userId: actor.userId, username: erasedName(actor.userId) }, address: null };
}

/** What the audit tells of a command that ended. `decision` is absent when nobody decided it. */
export function auditEntry(
  envelope: Envelope,
  ending: Ending,
  decision: Decision | undefined,
  at: Date,
): AuditEntry {
  const { commandId, type, payload, requestId } = envelope;
  const code = ending.status === 'failed' ? { code: ending.refusal.code } : {};
  const facts = { status: ending.status, ...code, commandId };
  return {
    at,
    ...originOf(envelope, ending),
    action: type,
    target: targetOf(envelope, decision),
    facts,
    payload,
    requestId,
  };
}
