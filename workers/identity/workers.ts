import type { WorkerState } from '../../shared/database/worker-tables';

/** The workers and the partitions that a batch of identity commands knows, and their changes. */

/** A worker that is alive. */
export interface StoredWorker {
  readonly worker: string;
  /** Null for one of the former release, which serves and cannot be drained. */
  readonly state: WorkerState | null;
  /** Whether it can carry out the commands of every partition. */
  readonly isAble: boolean;
}

/** The partitions that commands are carried out in. */
export interface StoredLayout {
  readonly generation: number;
  readonly partitions: number;
  /** The number that a change under way leads to; null without one. */
  readonly changesTo: number | null;
}

/** What commands change of workers and partitions. */
export type WorkersChange =
  | { readonly kind: 'state'; readonly worker: string; readonly state: 'serving' | 'draining' }
  | { readonly kind: 'resize'; readonly generation: number; readonly to: number };

/** What decisions can read. */
export interface WorkersView {
  /** Null where one process does everything. */
  readonly layout: StoredLayout | null;
  /** Returns null for a worker that is not alive, or that cannot be drained. */
  stateOf(worker: string): WorkerState | null;
  /** Returns whether another worker than this one serves every partition. */
  servesWithout(worker: string): boolean;
}

export class Workers implements WorkersView {
  layout: StoredLayout | null = null;
  readonly changes: WorkersChange[] = [];
  private readonly alive = new Map<string, StoredWorker>();

  load(worker: StoredWorker): void {
    this.alive.set(worker.worker, worker);
  }

  stateOf(worker: string): WorkerState | null {
    return this.alive.get(worker)?.state ?? null;
  }

  servesWithout(worker: string): boolean {
    return [...this.alive.values()].some(
      (one) => one.worker !== worker && one.isAble && (one.state ?? 'serving') === 'serving',
    );
  }

  evolve(change: WorkersChange): void {
    this.changes.push(change);
    if (change.kind === 'resize') {
      if (this.layout) this.layout = { ...this.layout, changesTo: change.to };
      return;
    }
    const before = this.alive.get(change.worker);
    if (before) this.alive.set(change.worker, { ...before, state: change.state });
  }
}
