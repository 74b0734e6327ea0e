import { auditRow } from '../../shared/audit/entry';
import { Audit } from '../../shared/audit/tables';
import { CommandOutcome, Outbox, OutgoingCommand } from '../../shared/database/tables';
import { encodeEnvelope } from '../../shared/messaging/envelope';
import { Notice } from '../../shared/notices/tables';
import type { BatchResult } from './decide-batch';
import { outboxRows } from './outbox-rows';
import { outcomeRow } from './service/outcome';
import { insert } from './sql/statements';
import type { Statement } from './sql/transaction';

/**
 * What is written beside the changed rows: outcomes, events with their notices, commands to be
 * forwarded, and the audit. Of what there is none costs no statement.
 */
export function recordsOf(decided: BatchResult, decidedAt: Date, worker: string): Statement[] {
  const outcomes = insert(
    CommandOutcome,
    decided.fresh.map(({ outcome, key, takenAt }) =>
      outcomeRow(outcome, {
        key,
        subjects: decided.changed.get(outcome.commandId),
        takenAt,
        decidedAt: decidedAt.getTime(),
        worker,
      }),
    ),
  );
  const outgoing = insert(
    OutgoingCommand,
    decided.forwards.map((envelope) => ({ envelope: encodeEnvelope(envelope) })),
  );
  const audit = insert(Audit, decided.audited.map(auditRow));
  return [
    ...outcomes,
    ...insert(Outbox, outboxRows(decided.events, decidedAt)),
    ...insert(Notice, decided.notices),
    ...outgoing,
    ...audit,
  ];
}
