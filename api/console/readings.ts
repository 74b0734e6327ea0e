import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { DeadLetter } from '../../shared/database/dead-letter-tables';
import { changesTo, readLayouts, servedLayout } from '../../shared/database/layouts';
import {
  PartitionOwner,
  WorkerHeartbeat,
  type InHand,
  type WorkerState,
} from '../../shared/database/worker-tables';
import type { LayoutSample } from './sample';

/** What the console's sampler reads from the database, in five statements. */

/** Most rows of each kind in one reading. */
const ROWS_MAX = 5000;
/** Most dead letters that are counted. */
const LETTERS_COUNTED_MAX = 1000;

export interface Owner {
  readonly partition: string;
  readonly epoch: number;
  readonly owner: string;
}

export interface Heartbeat {
  readonly worker: string;
  /** Milliseconds since 1970. */
  readonly beatAt: number;
  readonly inHand: InHand;
  readonly state: WorkerState;
}

/** A command that has ended. */
export interface Ended {
  readonly type: string;
  readonly key: string | null;
  /** From its reception to its decision, milliseconds. Null for a dead letter. */
  readonly decidedMs: number | null;
  /** From its reception to its worker, milliseconds. */
  readonly takenMs: number | null;
}

export interface Readings {
  readonly owners: readonly Owner[];
  readonly heartbeats: readonly Heartbeat[];
  readonly layout: LayoutSample | null;
  /** Those that were taken in the given time. */
  readonly ended: readonly Ended[];
  readonly deadLetters: number;
  /** Its end, milliseconds since 1970. */
  readonly to: number;
}

/** `from` and `to`: milliseconds since 1970. */
export async function readConsole(
  database: Sequelize,
  from: number,
  to: number,
): Promise<Readings> {
  const owners = await PartitionOwner.findAll({
    attributes: ['partitionName', 'epoch', 'owner'],
    order: ['partitionName'],
    limit: ROWS_MAX,
    raw: true,
  });
  const heartbeats = await WorkerHeartbeat.findAll({
    order: ['worker'],
    limit: ROWS_MAX,
    raw: true,
  });
  // Not by the model: there may be thousands.
  const ended = await database.query<Ended>(
    `SELECT type, aggregate_key AS \`key\`, decided_ms AS decidedMs, taken_ms AS takenMs FROM command_outcome WHERE completed_at >= :from AND completed_at < :to ORDER BY completed_at DESC LIMIT ${ROWS_MAX}`,
    { replacements: { from: new Date(from), to: new Date(to) }, type: QueryTypes.SELECT },
  );
  const letters = await DeadLetter.findAll({
    attributes: ['seq'],
    limit: LETTERS_COUNTED_MAX,
    raw: true,
  });
  return {
    owners: owners.map(({ partitionName, epoch, owner }) => ({
      partition: partitionName,
      epoch,
      owner,
    })),
    layout: await readLayout(),
    heartbeats: heartbeats.map(({ worker, beatAt, inHand, state }) => ({
      worker,
      beatAt: beatAt.getTime(),
      inHand: inHand ? (JSON.parse(inHand) as InHand) : {},
      state: state ?? 'serving',
    })),
    ended,
    deadLetters: letters.length,
    to,
  };
}

/** Reads the number of partitions, and what it changes to. */
async function readLayout(): Promise<LayoutSample | null> {
  const layouts = await readLayouts();
  return layouts.length === 0
    ? null
    : { partitions: servedLayout(layouts).partitions, changesTo: changesTo(layouts) };
}
