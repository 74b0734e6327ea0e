import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { WORKER_ALIVE_S } from '../../shared/database/lease';
import type { WorkerState } from '../../shared/database/worker-tables';

/** The rows in which workers say that they are alive, and learn of each other. */

/** A heartbeat row this old is removed, seconds. */
const FORGOTTEN_S = 3600;

/** What a worker reports with each heartbeat, as its columns hold it. */
export interface Report {
  readonly inHand: string;
  readonly fault: string | null;
  readonly leftToLater: string | null;
}

/** A worker that is alive, and the partitions that it has left to workers of a later release. */
export interface Peer {
  readonly worker: string;
  readonly left: ReadonlySet<string>;
  readonly state: WorkerState;
}

/**
 * Writes a heartbeat. The state of a row that is there belongs to commands, which drain workers;
 * `state` is that of a new row.
 */
export async function sendHeartbeat(
  database: Sequelize,
  worker: string,
  state: WorkerState,
  { inHand, fault, leftToLater }: Report,
): Promise<void> {
  const told = [inHand, fault, leftToLater];
  await database.query(
    'INSERT INTO worker_heartbeat (worker, beat_at, in_hand, fault, left_to_later, state) VALUES (?, NOW(3), ?, ?, ?, ?) ON DUPLICATE KEY UPDATE beat_at = NOW(3), in_hand = ?, fault = ?, left_to_later = ?',
    { replacements: [worker, ...told, state, ...told] },
  );
  await database.query(
    `DELETE FROM worker_heartbeat WHERE beat_at < NOW(3) - INTERVAL ${FORGOTTEN_S} SECOND`,
  );
}

/** Reads the workers that are alive. */
export async function readPeers(database: Sequelize): Promise<Peer[]> {
  const [rows] = await database.query(
    `SELECT worker, left_to_later, state FROM worker_heartbeat WHERE beat_at > NOW(3) - INTERVAL ${WORKER_ALIVE_S} SECOND`,
  );
  return (rows as PeerRow[]).map(({ worker, left_to_later: left, state }) => ({
    worker,
    left: new Set(JSON.parse(left ?? '[]') as string[]),
    state: state ?? 'serving',
  }));
}

interface PeerRow {
  readonly worker: string;
  readonly left_to_later: string | null;
  readonly state: WorkerState | null;
}

/** Reports that a worker has handed its partitions over, unless it is to take work again. */
export async function reportDrained(database: Sequelize, worker: string): Promise<void> {
  await database.query(
    "UPDATE worker_heartbeat SET state = 'drained' WHERE worker = ? AND state = 'draining'",
    { replacements: [worker], type: QueryTypes.UPDATE },
  );
}
