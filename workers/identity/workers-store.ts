import type { Now } from '../../shared/database/clock';
import { changesTo, servedLayout } from '../../shared/database/layouts';
import { WORKER_ALIVE_S } from '../../shared/database/lease';
import { EMBEDDED_WORKER, type WorkerState } from '../../shared/database/worker-tables';
import type { Read } from '../batch/service/state-plan';
import type { Statement } from '../batch/sql/transaction';
import type { IdentityState } from './state';
import type { WorkersChange } from './workers';

/** Reads and writes the rows of workers and partitions. */

export interface WorkersReadOptions {
  /** Whether several workers may write at once. Otherwise one process does everything. */
  readonly lockRows: boolean;
  readonly now: Now;
}

/** Reads the workers that are alive, and the number of partitions. */
export function workersReads({ lockRows, now }: WorkersReadOptions): Read<IdentityState>[] {
  if (!lockRows) return [alone];
  const aliveFrom = new Date(now().getTime() - WORKER_ALIVE_S * 1000);
  return [
    {
      statement: {
        sql: 'SELECT worker, state, fault, left_to_later FROM worker_heartbeat WHERE beat_at > ?',
        values: [aliveFrom],
      },
      apply: (rows, { workers }) => {
        for (const row of rows)
          workers.load({
            worker: row.worker as string,
            state: row.state as WorkerState | null,
            isAble: row.fault === null && row.left_to_later === null,
          });
      },
    },
    {
      // Locked, because `ops partitions resize` may begin a change at the same moment.
      statement: {
        sql: 'SELECT generation, partitions, drained, resize_to FROM partition_layout ORDER BY generation FOR UPDATE',
        values: [],
      },
      apply: (rows, { workers }) => {
        if (rows.length === 0) return;
        const layouts = rows.map((row) => ({
          generation: Number(row.generation),
          partitions: Number(row.partitions),
          drained: Boolean(row.drained),
          resizeTo: row.resize_to as number | null,
        }));
        const { generation, partitions } = servedLayout(layouts);
        workers.layout = { generation, partitions, changesTo: changesTo(layouts) };
      },
    },
  ];
}

const alone: Read<IdentityState> = {
  statement: { sql: 'SELECT 1', values: [] },
  apply: (_rows, { workers }) => {
    workers.load({ worker: EMBEDDED_WORKER, state: 'serving', isAble: true });
  },
};

/** Returns the writes of these changes, in order. A worker may have ended meanwhile. */
export const workersStatements = (changes: readonly WorkersChange[]): Statement[] =>
  changes.map((change) =>
    change.kind === 'resize'
      ? {
          sql: 'UPDATE partition_layout SET resize_to = ? WHERE generation = ?',
          values: [change.to, change.generation],
        }
      : {
          sql: 'UPDATE worker_heartbeat SET state = ? WHERE worker = ?',
          values: [change.state, change.worker],
        },
  );
