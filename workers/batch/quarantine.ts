import type { Envelope } from '../../shared/command';
import { DeadLetter } from '../../shared/database/tables';
import { encodeEnvelope } from '../../shared/messaging/envelope';
import { letterRow } from './dead-letters';
import { NO_ADDRESS } from './decision';
import { insertIgnoring, placeholders } from './statements';
import type { Row, Statement } from './transaction';

/**
 * The quarantine of aggregates, as one batch sees it. An aggregate, named by the key of its
 * commands, is in quarantine as long as it has dead letters. A command that comes for it meanwhile
 * may have been sent because of one before it, and would overtake them: it is parked behind them as
 * a letter of its own, and its sender is told. It is not merely refused, because it may have been
 * promised with a 202, and then it must run, in its place, once the operator lets it.
 *
 * States of a letter: kept; released (an operator wants it replayed, and its command is in its
 * queue again). A released letter is carried out when its command comes out of the queue and no
 * letter of its aggregate stands before it: only so the order holds whatever is published twice,
 * too early or not at all. It then vanishes, and the new outcome takes the place of the failed one,
 * in the batch's transaction. When it fails again, all letters of the aggregate are kept again.
 */

/** Most letters of one aggregate; commands that come on top of that are refused for good. */
const LETTERS_PER_AGGREGATE_MAX = 1000;

interface Letter {
  readonly commandId: string;
  readonly released: boolean;
}

/** What its aggregate's letters mean for a command. */
export type Standing =
  /** It has none. */
  | 'free'
  /** It is the next letter to be replayed. */
  | 'replay'
  /**
   * It is a letter itself and it is not its turn; or it is a command of the clock, which comes
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
      this.lettersOf(row.aggregate_key as string).push({
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

  /** The replayed command is no letter any more, whatever it came to. */
  leave({ commandId, key }: Envelope): void {
    this.letters.get(key)?.shift();
    this.replayed.push(commandId);
  }

  /** Puts a command behind the letters of its aggregate; returns what its sender is told. */
  park(envelope: Envelope, partition: string, now: Date): string {
    const letters = this.lettersOf(envelope.key);
    const why = `An earlier command of ${envelope.key} could not be carried out, and what comes after it must wait`;
    if (letters.length >= LETTERS_PER_AGGREGATE_MAX)
      return `${why}; too many wait already, so this one was refused for good.`;
    const reason = `parked behind ${letters[0]?.commandId ?? ''}`;
    letters.push({ commandId: envelope.commandId, released: false });
    this.parked.push(
      letterRow(
        { partition, content: encodeEnvelope(envelope), header: envelope },
        { reason, parked: true, now },
      ),
    );
    return `${why}: it was put aside behind it for an operator.`;
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
      ...(replayed.length > 0 ? [gone('dead_letter'), gone('command_outcome')] : []),
    ];
  }

  private lettersOf(key: string): Letter[] {
    const letters = this.letters.get(key) ?? [];
    this.letters.set(key, letters);
    return letters;
  }
}

/**
 * The letters of the aggregates of a batch: none, nearly always, by one look into an index of an
 * empty table. On a server they are locked, so that an operator who discards the last of them
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
