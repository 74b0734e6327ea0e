import type { FindOptions, Transaction } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { auditRow, type AuditEntry } from '../audit/entry';
import { Audit } from '../audit/tables';
import { masked, maskedText } from '../secrets';
import { CommandAttempt, DeadLetter } from './dead-letter-tables';
import { despiteDeadlocks } from './deadlocks';
import { OutgoingCommand } from './tables';

/**
 * What operators do with dead letters, from the command line or the console.
 * `workers/batch/failures/dead-letters.ts` makes them.
 */

/** How much of an unreadable message is displayed, characters. */
const TEXT_SHOWN = 4000;
/** Most earlier failures that are read for one page of commands. */
const FAILURES_READ_MAX = 1000;

/** What the audit tells of a letter. */
const AUDITED = ['seq', 'commandId', 'aggregateKey'];

/** What every administrator may see of a dead letter. The content is left out. */
export interface DeadLetterSummary {
  readonly letter: number;
  readonly commandId: string;
  readonly type: string | null;
  readonly aggregate: string | null;
  readonly partition: string;
  readonly reason: string;
  /** It came behind another dead letter of its aggregate. Nothing else was wrong with it. */
  readonly parked: boolean;
  /** `released`: an operator is replaying it, and no worker has carried it out yet. */
  readonly state: 'kept' | 'released';
  readonly deadAt: string;
  readonly ageSeconds: number;
}

export function deadLetterSummary(letter: DeadLetter, now: Date): DeadLetterSummary {
  const { seq, commandId, type, aggregateKey, partitionName, reason, parked, released, deadAt } =
    letter;
  const ageSeconds = Math.max(0, Math.round((now.getTime() - deadAt.getTime()) / 1000));
  return {
    letter: seq,
    commandId,
    type,
    aggregate: aggregateKey,
    partition: partitionName,
    reason,
    parked: Boolean(parked),
    state: released ? 'released' : 'kept',
    deadAt: deadAt.toISOString(),
    ageSeconds,
  };
}

/** Reads how commands failed before they were replayed, by their ids, earliest first. */
export async function earlierFailures(
  commandIds: readonly string[],
): Promise<ReadonlyMap<string, readonly CommandAttempt[]>> {
  const failures = new Map<string, CommandAttempt[]>();
  if (commandIds.length === 0) return failures;
  const rows = await CommandAttempt.findAll({
    where: { commandId: [...commandIds] },
    order: ['seq'],
    limit: FAILURES_READ_MAX,
  });
  for (const row of rows)
    failures.set(row.commandId, [...(failures.get(row.commandId) ?? []), row]);
  return failures;
}

/** Returns the content of a dead letter without secrets: the message as JSON, or else its text. */
export function shownContent(
  content: string,
): { readonly message: unknown } | { readonly text: string } {
  try {
    return { message: masked(JSON.parse(content)) };
  } catch {
    return { text: maskedText(content.slice(0, TEXT_SHOWN)) };
  }
}

/** How the audit learns of a change of dead letters. */
export interface DeadLetterAudit {
  entryFor(changed: Pick<AuditEntry, 'target' | 'facts'>): AuditEntry;
  /** Logs the entry of a change that was committed. */
  log(entry: AuditEntry): void;
}

/**
 * Replays dead letters in the order of their numbers: marks them as released and writes their
 * commands down for their queues, in one transaction.
 * A dead letter that was removed meanwhile stays removed. A released one is published again, which
 * is harmless, because a command is carried out once.
 */
export async function releaseDeadLetters(
  database: Sequelize,
  numbers: readonly number[],
  audit: DeadLetterAudit,
): Promise<void> {
  const find = { where: { seq: [...numbers] }, attributes: [...AUDITED, 'content'] };
  await changeDeadLetters(database, find, audit, async (letters, transaction) => {
    const where = { seq: letters.map(({ seq }) => seq) };
    await DeadLetter.update({ released: true }, { where, transaction });
    await OutgoingCommand.bulkCreate(
      letters.map(({ content }) => ({ envelope: content })),
      { transaction },
    );
  });
}

/**
 * Removes dead letters for good and returns how many. Released ones may be under way in a worker,
 * and stay.
 */
export function deleteDeadLetters(
  database: Sequelize,
  numbers: readonly number[],
  audit: DeadLetterAudit,
): Promise<number> {
  const find = { where: { seq: [...numbers], released: false }, attributes: AUDITED };
  return changeDeadLetters(database, find, audit, (letters, transaction) =>
    DeadLetter.destroy({ where: { seq: letters.map(({ seq }) => seq) }, transaction }),
  );
}

/** Returns what the audit records of dead letters: their numbers and commands. */
const factsOf = (letters: readonly DeadLetter[]) => ({
  letters: letters.map(({ seq }) => seq),
  commandIds: letters.map(({ commandId }) => commandId),
});

/** Returns the aggregate of the dead letters, or null when they have several or none. */
function targetOf(letters: readonly DeadLetter[]): string | null {
  const [key = null, ...others] = new Set(letters.map(({ aggregateKey }) => aggregateKey));
  return others.length === 0 ? key : null;
}

/**
 * Changes the dead letters that are found, with an entry of the audit in the transaction, and
 * returns how many they are. It is logged once that is committed.
 */
async function changeDeadLetters(
  database: Sequelize,
  find: FindOptions<DeadLetter>,
  audit: DeadLetterAudit,
  change: (letters: readonly DeadLetter[], transaction: Transaction) => Promise<unknown>,
): Promise<number> {
  const { letters, entry } = await despiteDeadlocks(() =>
    database.transaction(async (transaction) => {
      const found = await DeadLetter.findAll({ ...find, order: ['seq'], lock: true, transaction });
      if (found.length === 0) return { letters: found, entry: null };
      await change(found, transaction);
      const entry = audit.entryFor({ target: targetOf(found), facts: factsOf(found) });
      await Audit.create(auditRow(entry), { transaction });
      return { letters: found, entry };
    }),
  );
  if (entry) audit.log(entry);
  return letters.length;
}
