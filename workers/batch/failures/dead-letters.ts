import { createHash } from 'node:crypto';
import { COMMAND_FAILED, type Ending, type Envelope, type Outcome } from '../../../shared/command';
import { DeadLetter } from '../../../shared/database/dead-letter-tables';
import { CommandOutcome } from '../../../shared/database/tables';
import { outcomeFor, outcomeRow } from '../service/outcome';
import { insertIgnoring, placeholders } from '../sql/statements';
import type { Statement, StatementResult } from '../sql/transaction';

/**
 * Dead letters: commands that could not be carried out, kept with their reason for an operator.
 *
 * They are rows of a table, also on servers, and not messages of a dead-letter queue. One fenced
 * transaction stores the dead letter and the failed outcome of its command. Dead letters of an
 * aggregate have an order, and can be replayed or discarded one by one. Their presence is the
 * quarantine, which needs no state of its own.
 *
 * Workers move what the broker dead-letters by itself into the table (`consumer/dead-queue.ts`).
 */

/**
 * Most dead letters that are kept. The sender of a command on top of that is told that it failed,
 * and the command is gone.
 */
const DEAD_LETTERS_MAX = 100_000;
/** Longest content that is kept, characters; a longer one is cut, and cannot be replayed. */
const CONTENT_LENGTH_MAX = 1_000_000;
const REASON_LENGTH_MAX = 1000;

/** A message as it came, and the command in it when its envelope can be read. */
export interface DeadMessage {
  readonly partition: string;
  readonly content: string;
  readonly header: Envelope | null;
}

export const failed = (detail: string): Ending => ({
  status: 'failed',
  refusal: { code: COMMAND_FAILED, detail },
});

/** The row of a dead letter. `parked`: it only came behind another dead letter of its aggregate. */
export function deadLetterRow(
  { partition, content, header }: DeadMessage,
  { reason, parked, now }: { reason: string; parked: boolean; now: Date },
) {
  return {
    commandId: header?.commandId ?? unreadableId(content),
    type: header?.type ?? null,
    aggregateKey: header?.key ?? null,
    partitionName: partition,
    content: content.slice(0, CONTENT_LENGTH_MAX),
    reason: reason.slice(0, REASON_LENGTH_MAX),
    parked: Number(parked),
    released: 0,
    deadAt: now,
  };
}

/** Notes how commands failed, as their letters tell, before those change or go. */
export const attemptStatement = (commandIds: readonly string[]): Statement => ({
  sql: `INSERT INTO command_attempt (command_id, failed_at, reason, parked) SELECT command_id, dead_at, reason, parked FROM dead_letter WHERE command_id IN (${placeholders(commandIds.length)}) ORDER BY seq`,
  values: commandIds,
});

/** A dead letter to store: `reads` and, with their results, `writes` belong in one transaction. */
export class NewDeadLetter {
  /** What its sender is told; null when nobody can be told. */
  readonly outcome: Outcome | null;

  private readonly row: ReturnType<typeof deadLetterRow>;

  constructor(message: DeadMessage, reason: string, now: Date) {
    const { header } = message;
    this.outcome =
      header &&
      outcomeFor(
        header,
        failed('The command could not be carried out; an operator can replay it.'),
        now,
      );
    this.row = deadLetterRow(message, { reason, parked: false, now });
  }

  /**
   * Writes the outcome here already. When an outcome exists, the command has ended, and no dead
   * letter is made.
   */
  get reads(): Statement[] {
    const letter = {
      sql: 'SELECT seq FROM dead_letter WHERE command_id = ?',
      values: [this.row.commandId],
    };
    const count = { sql: 'SELECT COUNT(*) AS letters FROM dead_letter', values: [] };
    return [
      letter,
      count,
      ...(this.outcome
        ? insertIgnoring(CommandOutcome, [
            outcomeRow(this.outcome, {
              key: this.row.aggregateKey ?? '',
              takenAt: null,
              decidedAt: null,
              worker: null,
            }),
          ])
        : []),
    ];
  }

  writes(results: readonly StatementResult[]): Statement[] {
    const [letter, count, outcome] = results;
    if (letter?.rows[0]) return this.sendBack();
    const ended = outcome?.affected === 0;
    const full = Number(count?.rows[0]?.letters) >= DEAD_LETTERS_MAX;
    return ended || full ? [] : insertIgnoring(DeadLetter, [this.row]);
  }

  /** Whether `outcome` is what the command came to, and not an outcome that it had before. */
  isTold([letter, , outcome]: readonly StatementResult[]): boolean {
    return letter?.rows[0] !== undefined || outcome?.affected === 1;
  }

  /**
   * A dead letter that failed once more when it was replayed: it tells the new reason, and its
   * whole aggregate waits for the operator again.
   */
  private sendBack(): Statement[] {
    const { commandId, aggregateKey, reason, deadAt } = this.row;
    return [
      attemptStatement([commandId]),
      {
        sql: 'UPDATE dead_letter SET reason = ?, parked = 0, dead_at = ? WHERE command_id = ?',
        values: [reason, deadAt, commandId],
      },
      {
        sql: 'UPDATE dead_letter SET released = 0 WHERE aggregate_key = ?',
        values: [aggregateKey],
      },
    ];
  }
}

/** Stands for the command id of a message that has none; the same for the same message. */
function unreadableId(content: string): string {
  return `unreadable-${createHash('sha1').update(content).digest('hex').slice(0, 29)}`;
}
