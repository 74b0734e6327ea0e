import { setTimeout as pause } from 'node:timers/promises';
import { Op } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import type { Ending } from '../../../shared/command';
import { releaseDeadLetters } from '../../../shared/database/dead-letters';
import { endingOf } from '../../../shared/database/ending';
import { DeadLetter } from '../../../shared/database/dead-letter-tables';
import { CommandOutcome } from '../../../shared/database/tables';
import type { Services } from '../../../shared/service';
import { auditedAs } from './audit';
import type { Selection } from './selection';

/**
 * Runs one replay.
 * One transaction releases a dead letter and stores its command for its queue. Workers publish it,
 * carry it out when it is the first of its aggregate, and remove it. The replay waits and reports.
 * It keeps no state: every existing dead letter is to be replayed.
 * New commands are parked while an aggregate has dead letters. So the list is read again until none
 * is left.
 */

/** Letters that are released at a time. */
const PAGE_LENGTH = 200;
/** How often it is looked what became of them, milliseconds. */
const LOOK_MS = 200;
/** When nothing has happened for this long, no worker is running, milliseconds. */
const STALLED_MS = 30_000;
/** How often the dead letters are gone through for what was parked meanwhile. */
const PASSES_MAX = 100;

export interface Replayed {
  readonly letter: number;
  readonly commandId: string;
  readonly type: string | null;
  readonly aggregate: string | null;
  /**
   * `moved`: it was found to be meant for another aggregate, and is on its way there. `behind`: a
   * dead letter before it failed again.
   */
  readonly result:
    | 'succeeded'
    | 'refused'
    | 'moved'
    | 'failed again'
    | 'behind'
    | 'cannot be replayed';
  readonly detail: string | null;
}

export class Replay {
  readonly replayed: Replayed[] = [];
  /** Letters that were released and not carried out. */
  waiting = 0;
  /** Aggregates of which nothing more can be replayed in this run. */
  private readonly blocked = new Set<string>();

  constructor(
    private readonly database: Sequelize,
    private readonly selection: Selection,
    private readonly decode: Services['decode'],
    private readonly tell: (replayed: Replayed) => void,
  ) {}

  async toTheEnd(): Promise<void> {
    for (let pass = 0; pass < PASSES_MAX; pass += 1) {
      const before = this.replayed.length;
      await this.pass(pass === 0);
      if (this.waiting > 0 || this.replayed.length === before || this.selection.one) return;
    }
  }

  private async pass(tellsWhatCannot: boolean): Promise<void> {
    let last = 0;
    for (let found = PAGE_LENGTH; found === PAGE_LENGTH && this.waiting === 0;) {
      const page = await DeadLetter.findAll({
        where: { [Op.and]: [this.selection.where, { seq: { [Op.gt]: last } }] },
        order: ['seq'],
        limit: PAGE_LENGTH,
      });
      found = page.length;
      last = page.at(-1)?.seq ?? last;
      await this.carryOut(page.filter((letter) => this.isReplayable(letter, tellsWhatCannot)));
    }
  }

  private isReplayable(letter: DeadLetter, tells: boolean): boolean {
    const message = this.decode(letter.content);
    const isBlocked = letter.aggregateKey !== null && this.blocked.has(letter.aggregateKey);
    if ('envelope' in message && !isBlocked) return true;
    if (letter.aggregateKey !== null) this.blocked.add(letter.aggregateKey);
    if (tells)
      this.end(
        letter,
        'envelope' in message ? ['behind', null] : ['cannot be replayed', message.malformed],
      );
    return false;
  }

  private async carryOut(letters: readonly DeadLetter[]): Promise<void> {
    if (letters.length === 0) return;
    const seqs = letters.map(({ seq }) => seq);
    await releaseDeadLetters(this.database, seqs, auditedAs('ops.dead-letters.replay'));
    this.waiting = await untilNoneIsReleased(seqs);
    const left = new Map(
      (await DeadLetter.findAll({ where: { seq: seqs } })).map((letter) => [letter.seq, letter]),
    );
    const endings = await endingsOf(letters);
    for (const letter of letters) {
      const still = left.get(letter.seq);
      if (!still) this.end(letter, resultOf(endings.get(letter.commandId)));
      else if (!still.released)
        this.end(
          letter,
          still.deadAt.getTime() === letter.deadAt.getTime()
            ? ['behind', null]
            : ['failed again', still.reason],
        );
    }
  }

  private end(
    letter: DeadLetter,
    [result, detail]: readonly [Replayed['result'], string | null],
  ): void {
    const { seq, commandId, type, aggregateKey } = letter;
    const stays =
      result === 'behind' || result === 'failed again' || result === 'cannot be replayed';
    if (stays && aggregateKey !== null) this.blocked.add(aggregateKey);
    const replayed = { letter: seq, commandId, type, aggregate: aggregateKey, result, detail };
    this.replayed.push(replayed);
    this.tell(replayed);
  }
}

/** Returns how many are still released when nothing has happened for too long, otherwise 0. */
async function untilNoneIsReleased(seqs: readonly number[]): Promise<number> {
  let before = seqs.length;
  for (let since = Date.now(); Date.now() - since < STALLED_MS;) {
    const count = await DeadLetter.count({ where: { seq: [...seqs], released: true } });
    if (count === 0) return 0;
    if (count < before) since = Date.now();
    before = count;
    await pause(LOOK_MS);
  }
  return before;
}

async function endingsOf(letters: readonly DeadLetter[]): Promise<Map<string, Ending>> {
  const rows = await CommandOutcome.findAll({
    where: { commandId: letters.map(({ commandId }) => commandId) },
  });
  return new Map(rows.map(({ commandId, ending }) => [commandId, endingOf(ending)]));
}

function resultOf(ending: Ending | undefined): readonly [Replayed['result'], string | null] {
  if (!ending) return ['moved', null];
  return ending.status === 'succeeded' ? ['succeeded', null] : ['refused', ending.refusal.code];
}
