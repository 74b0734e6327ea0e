import type { DeadLetterAudit } from '../../../shared/database/dead-letters';
import { logEntry } from '../audited';
import { operatorEntry } from '../operator-entry';

/** Audits what a command does to dead letters. */
export const auditedAs = (action: string): DeadLetterAudit => ({
  entryFor: (changed) => operatorEntry({ action, ...changed }),
  log: logEntry,
});
