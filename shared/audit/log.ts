import type { Logger } from '../logger';
import type { AuditEntry } from './entry';

/**
 * Makes the function that logs audited actions, one line an entry, with `"audit":true`. Every
 * LOG_LEVEL but `silent` lets these lines through. The payload is in the table only.
 */
export function createAuditLog(logger: Logger): (entries: readonly AuditEntry[]) => void {
  const level = logger.level === 'silent' ? 'silent' : 'info';
  const lines = logger.child({ audit: true }, { level });
  return (entries) => {
    for (const { actor, action, target, facts, address, requestId } of entries) {
      lines.info({ ...facts, userId: actor.userId, action, target, address, requestId }, 'audit');
    }
  };
}
