import { existsSync } from 'node:fs';
import { pino } from 'pino';
import type { Transaction } from 'sequelize';
import { auditRow, type AuditEntry } from '../../shared/audit/entry';
import { createAuditLog } from '../../shared/audit/log';
import { Audit } from '../../shared/audit/tables';
import { withDatabase, type Installation } from './installation';
import { operatorEntry, type Operation } from './operator-entry';

/** Operator's commands in the audit, and as lines of JSON on stderr. */

/** Writes the line of an entry alone. */
export function logEntry(entry: AuditEntry): void {
  // Not pino's own stream, so that what stands in for stderr gets the line too.
  const destination = { write: (line: string) => process.stderr.write(line) };
  const timestamp = pino.stdTimeFunctions.isoTime;
  createAuditLog(pino({ name: 'lendline-ops', timestamp }, destination))([entry]);
}

/** Writes the line of an operation alone. */
export function logOperation(operation: Operation): void {
  logEntry(operatorEntry(operation));
}

/** Writes the entry in the transaction of what was done. */
export async function auditOperation(
  operation: Operation,
  transaction?: Transaction,
): Promise<void> {
  await Audit.create(auditRow(operatorEntry(operation)), { ...(transaction && { transaction }) });
  logOperation(operation);
}

/**
 * Writes the entry of a command that needs no database for its work. The command succeeds even when
 * the entry cannot be stored: whoever has its secrets could do the same without it.
 */
export async function auditOnTheSide(
  installation: Pick<Installation, 'kind' | 'databaseUrl'>,
  operation: Operation,
): Promise<void> {
  const { kind, databaseUrl } = installation;
  if (kind === 'embedded' && !existsSync(databaseUrl)) {
    logOperation(operation);
    return;
  }
  try {
    await withDatabase(installation, () => auditOperation(operation));
  } catch (error) {
    logOperation(operation);
    process.stderr.write(`The audit could not store this command: ${(error as Error).message}\n`);
  }
}
