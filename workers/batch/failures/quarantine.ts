import type { Envelope } from '../../../shared/command';
import { DeadLetter } from '../../../shared/database/dead-letter-tables';
import { encodeEnvelope } from '../../../shared/messaging/envelope';
import { attemptStatement, deadLetterRow } from './dead-letters';
import { NO_ADDRESS } from '../service/decision';
import { insertIgnoring, placeholders } from '../sql/statements';
import type { Row, Statement } from '../sql/transaction';

/**
 * The quarantine of aggregates, as one batch sees it: an aggregate with dead letters is in
 * quarantine. A later command for it is parked behind them, so that it overtakes none, and its
 * sender is notified. It is not refused, because it may have been promised with a 202.
 *
 * States of a dead letter: kept; released (an operator replays it, and its command is queued
 * again). A released one runs when it is the first of its aggregate, so the order holds whatever is
 * published twice or late. The batch that carries it out removes it and replaces the failed
 * outcome. When it fails again, all of its aggregate are kept again.
 */

/** Most dead letters of one aggregate; commands that come on top of that are refused for good. */
const DEAD_LETTERS_PER_AGGREGATE_MAX = 1000;

interface Letter {
  readonly commandId: string;
  readonly released: boolean;
}

/** What its aggregate's dead letters mean for a command. */
export type Standing =
  /** It has none. */
  | 'free'
  /** It is the next dead letter to be replayed. */
  | 'replay'
  /**
   * It is a dead letter itself and it is not its turn; or it is a command of the clock, which comes
   * again as long as it is due.
   */
  | 'later'
  /** It comes behind them. */
  | 'behind';

export class Quarantine {
  private readonly letters = new Map<string, Letter[]>();
  private readonly parked: object[] = [];
  private readonly replayed: string[] = [];

  /** Rows of `quarantineStatement`. */
  constructor(rows: readonly Row[]) {
    for (const row of rows)
      this.deadLettersOf(row.aggregate_key as string).push({
        commandId: row.command_id as string,
        released: Boolean(row.released),
      });
  }

  standing({ commandId, key, replyTo }: Envelope): Standing {
    const letters = this.letters.get(key) ?? [];
    const [first] = letters;
    if (!first) return 'free';
    if (first.commandId === commandId && first.released) return 'replay';
    return replyTo === NO_ADDRESS || letters.some((letter) => letter.commandId === commandId)
      ? 'later'
      : 'behind';
  }

  /** The replayed command is no dead letter any more, whatever it came to. */
  leave({ commandId, key }: Envelope): void {
    this.letters.get(key)?.shift();
    this.replayed.push(commandId);
  }

  /** Puts a command behind the dead letters of its aggregate; returns the answer to its sender. */
  park(envelope: Envelope, partition: string, now: Date): string {
    const letters = this.deadLettersOf(envelope.key);
    const why = `An earlier command of ${envelope.key} could not be carried out`;
    if (letters.length >= DEAD_LETTERS_PER_AGGREGATE_MAX)
      return `${why}, and too many commands wait behind it. This one was refused for good.`;
    const reason = `parked behind ${letters[0]?.commandId ?? ''}`;
    letters.push({ commandId: envelope.commandId, released: false });
    this.parked.push(
      deadLetterRow(
        { partition, content: encodeEnvelope(envelope), header: envelope },
        { reason, parked: true, now },
      ),
    );
    return `${why}. This one waits behind it until an operator replays both.`;
  }

  /** Before the outcomes of the batch are written: those of the replayed commands make way. */
  writes(): Statement[] {
    const { replayed } = this;
    const gone = (table: string): Statement => ({
      sql: `DELETE FROM ${table} WHERE command_id IN (${placeholders(replayed.length)})`,
      values: replayed,
    });
    return [
      ...insertIgnoring(DeadLetter, this.parked),
      ...(replayed.length > 0
        ? [attemptStatement(replayed), gone('dead_letter'), gone('command_outcome')]
        : []),
    ];
  }

  private deadLettersOf(key: string): Letter[] {
    const letters = this.letters.get(key) ?? [];
    this.letters.set(key, letters);
    return letters;
  }
}

/**
 * The dead letters of the aggregates of a batch: none, nearly always, by one look into an index of
 * an empty table. On a server they are locked, so that an operator who discards the last of them
 * learns of what was parked behind it meanwhile.
 */
export function quarantineStatement(envelopes: readonly Envelope[]): Statement {
  const keys = [...new Set(envelopes.map(({ key }) => key))];
  const lock = DeadLetter.sequelize?.getDialect() === 'sqlite' ? '' : ' LOCK IN SHARE MODE';
  return {
    sql: `SELECT command_id, aggregate_key, released FROM dead_letter WHERE aggregate_key IN (${placeholders(keys.length)}) ORDER BY seq${lock}`,
    values: keys,
  };
}
