import { SuspectCommand } from '../../../shared/database/dead-letter-tables';
import type { CommandDelivery } from '../ownership/deliveries';
import { fenced } from '../ownership/fenced';
import { insertIgnoring, placeholders } from '../sql/statements';
import type { BeginBatch, Statement } from '../sql/transaction';

/**
 * Finds the command that ends its process: by an exit, out of memory, or in an endless loop, which
 * the watchdog ends. No code can catch that, so marks in the database outlive the process.
 *
 * A redelivery alone proves nothing, because all that a dead worker had fetched is redelivered.
 * Redelivered commands are marked before their batch and unmarked after it. A mark that is found
 * later belongs to a command that was at work when its process died: it runs alone from then on.
 * The third process that dies with it alone makes it a dead letter. A success clears it.
 *
 * First deliveries cost nothing. A poisonous command costs five processes, fewer than the broker's
 * delivery limit.
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
