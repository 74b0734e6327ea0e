import { createHash } from 'node:crypto';
import { COMMAND_FAILED, type Ending, type Envelope, type Outcome } from '../../shared/command';
import { CommandOutcome, DeadLetter } from '../../shared/database/tables';
import { outcomeFor, outcomeRow } from './outcome';
import { insertIgnoring } from './statements';
import type { Statement, StatementResult } from './transaction';

/**
 * Dead letters: what could not be carried out, kept for an operator with its reason.
 *
 * They are rows of a table, on both ways of running, and not messages in the broker's dead-letter
 * queue. So a letter is written in one fenced transaction with the failed outcome of its command,
 * exactly once and without a second system that could be away; it has an order among the letters of
 * its aggregate, can be listed, replayed and discarded one by one; and the quarantine of an
 * aggregate needs no state of its own: it is there as long as a letter is. What the broker
 * dead-letters by itself, after its delivery limit, workers move from its queue into the table
 * (`workers/consumer/dead-queue.ts`), so that there is one place to look.
 */

/**
 * Most letters that are kept; a command that is given up on top of that is told that it failed, and
 * is gone.
 */
const LETTERS_MAX = 100_000;
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

/** The row of a letter. `parked`: it only came behind another letter of its aggregate. */
export function letterRow(
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

/** Gives a message up: `reads` and, with their results, `writes` belong in one transaction. */
export class GivingUp {
  /** What its sender is told; null when nobody can be told. */
  readonly outcome: Outcome | null;

  private readonly row: ReturnType<typeof letterRow>;

  constructor(message: DeadMessage, reason: string, now: Date) {
    const { header } = message;
    this.outcome =
      header &&
      outcomeFor(
        header,
        failed('The command could not be carried out; it was put aside for an operator.'),
        now,
      );
    this.row = letterRow(message, { reason, parked: false, now });
  }

  /**
   * The outcome is written here already: when there is one before it, the command has ended, and is
   * nothing to put aside.
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
            }),
          ])
        : []),
    ];
  }

  writes(results: readonly StatementResult[]): Statement[] {
    const [letter, count, outcome] = results;
    if (letter?.rows[0]) return this.sendBack();
    const ended = outcome?.affected === 0;
    const full = Number(count?.rows[0]?.letters) >= LETTERS_MAX;
    return ended || full ? [] : insertIgnoring(DeadLetter, [this.row]);
  }

  /** Whether `outcome` is what the command came to, and not an outcome that it had before. */
  isTold([letter, , outcome]: readonly StatementResult[]): boolean {
    return letter?.rows[0] !== undefined || outcome?.affected === 1;
  }

  /**
   * A letter that failed once more when it was replayed: it tells the new reason, and its whole
   * aggregate waits for the operator again.
   */
  private sendBack(): Statement[] {
    const { commandId, aggregateKey, reason, deadAt } = this.row;
    return [
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
