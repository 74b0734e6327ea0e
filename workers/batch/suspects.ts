import { SuspectCommand } from '../../shared/database/tables';
import type { CommandDelivery } from './deliveries';
import { fenced } from './fenced';
import { insertIgnoring, placeholders } from './statements';
import type { BeginBatch, Statement } from './transaction';

/**
 * Finds the command that ends the process which carries it out: by an exit, out of memory, or in a
 * loop without end, which the watchdog ends. Such a command cannot be caught, it can only be found
 * out by who was at work when a process died.
 *
 * A redelivery alone accuses nobody: everything that a dead worker had fetched is delivered again,
 * and so is everything at each hand-over. So deliveries that come again are marked in the database,
 * outside of the batch's transaction, before the batch begins, and the marks are taken off after it
 * has ended, be it well or badly. A mark that is found later was left by a process that did not
 * live to take it off, so its command was not only fetched but at work in that moment: from then on
 * it is carried out alone. Each time its mark counts the processes that began with it alone and did
 * not live to tell; at the third it is given up. What was merely fetched is never marked, what was
 * marked among others is acquitted by its first success alone, and a process that ends in order
 * takes the mark back. An innocent command would have to be at work alone, which takes
 * milliseconds, in each of three processes that are killed for another reason, one after the other.
 *
 * A first delivery costs nothing, a hand-over one transaction before and one after each batch that
 * comes again. A poison costs five processes, four when it came alone: far less than the broker's
 * delivery limit, which counts for its neighbours as well.
 */

/** Deliveries that came this often before are marked. */
const REDELIVERIES_MIN = 1;
/** How many processes may end while they carry out a command alone; then it is given up. */
export const DEATHS_MAX = 3;

/**
 * What is carried out together: several commands, or one that is alone and how many processes ended
 * with it so far.
 */
export interface Part {
  readonly deliveries: readonly [CommandDelivery, ...CommandDelivery[]];
  readonly deaths: number;
}

export const areSuspect = (run: readonly CommandDelivery[]): boolean =>
  run.some(({ redeliveries }) => redeliveries >= REDELIVERIES_MIN);

const idsOf = (deliveries: readonly CommandDelivery[]): string[] =>
  deliveries.map(({ message }) => message.envelope.commandId);

export class Suspects {
  constructor(private readonly begin: BeginBatch) {}

  /**
   * Marks a run of commands and divides it, in its order. Null when it belongs, in part, to
   * somebody else.
   */
  async markRun(run: readonly CommandDelivery[], now: Date): Promise<Part[] | null> {
    const ids = idsOf(run);
    const marks = {
      sql: `SELECT command_id, deaths FROM suspect_command WHERE command_id IN (${placeholders(ids.length)})`,
      values: ids,
    };
    const rows = [...new Set(ids)].map((commandId) => ({ commandId, deaths: 0, triedAt: now }));
    const results = await fenced(this.begin, run, {
      reads: [marks],
      writes: () => insertIgnoring(SuspectCommand, rows),
    });
    const before = results?.[0]?.rows.map(
      (row) => [row.command_id as string, Number(row.deaths)] as const,
    );
    return before ? partsOf(run, new Map(before)) : null;
  }

  /**
   * Counts a process for a command that is alone, until `clear`. False when it belongs to somebody
   * else.
   */
  async markAlone({ deliveries, deaths }: Part, now: Date): Promise<boolean> {
    const ids = idsOf(deliveries);
    const rows = ids.map((commandId) => ({ commandId, deaths: deaths + 1, triedAt: now }));
    const results = await fenced(this.begin, deliveries, {
      writes: () => [clearStatement(ids), ...insertIgnoring(SuspectCommand, rows)],
    });
    return results !== null;
  }

  /** The process has survived these commands. */
  async clear(deliveries: readonly CommandDelivery[]): Promise<void> {
    await fenced(this.begin, deliveries, { writes: () => [clearStatement(idsOf(deliveries))] });
  }
}

/** Takes the marks of commands off. */
export function clearStatement(commandIds: readonly string[]): Statement {
  return {
    sql: `DELETE FROM suspect_command WHERE command_id IN (${placeholders(commandIds.length)})`,
    values: commandIds,
  };
}

function partsOf(
  run: readonly CommandDelivery[],
  deathsBefore: ReadonlyMap<string, number>,
): Part[] {
  const parts: {
    deliveries: [CommandDelivery, ...CommandDelivery[]];
    deaths: number;
    alone: boolean;
  }[] = [];
  for (const delivery of run) {
    const deaths = deathsBefore.get(delivery.message.envelope.commandId);
    const last = parts.at(-1);
    if (deaths === undefined && last && !last.alone) last.deliveries.push(delivery);
    else parts.push({ deliveries: [delivery], deaths: deaths ?? 0, alone: deaths !== undefined });
  }
  return parts;
}
