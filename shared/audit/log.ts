import type { Logger } from '../logger';
import type { AuditEntry } from './entry';

/**
 * Makes the function that logs what is audited, one line an entry, with `"audit":true`. LOG_LEVEL
 * does not hold these lines back, save `silent`. The payload is in the table alone.
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
