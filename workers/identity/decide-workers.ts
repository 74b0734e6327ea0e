import { done } from '../batch/service/decision';
import { refuse, type IdentityDecision, type Payload } from './decide-users';
import type { IdentityView } from './state';

/** Decisions about workers and partitions, which the programs then carry out. Pure. */

type View = Pick<IdentityView, 'workers'>;

export function resizePartitions(
  { workers: { layout } }: View,
  { partitions: to }: Payload<'identity.resize-partitions'>,
): IdentityDecision {
  if (!layout)
    return refuse(
      'PARTITIONS_FIXED',
      'Everything runs in one process here, and its partitions cannot be changed. Use servers.',
    );
  const { generation, partitions: from, changesTo } = layout;
  if (changesTo !== null)
    return refuse(
      'RESIZE_UNDER_WAY',
      `A change to ${changesTo} partitions is under way. Wait for it to finish.`,
    );
  const wanted = from === to ? {} : { workers: { kind: 'resize', generation, to } as const };
  return { decision: done({ from, to }, []), changes: wanted };
}

const noWorker = (worker: string): IdentityDecision =>
  refuse('WORKER_NOT_FOUND', `No worker "${worker}" that can be drained is alive.`);

export function drainWorker(
  { workers }: View,
  { worker }: Payload<'identity.drain-worker'>,
): IdentityDecision {
  const state = workers.stateOf(worker);
  if (!state) return noWorker(worker);
  if (state !== 'serving') return { decision: done({ worker, state }, []), changes: {} };
  if (!workers.servesWithout(worker))
    return refuse(
      'LAST_SERVING_WORKER',
      `Worker "${worker}" is the only one that serves all partitions. Start another one first.`,
    );
  return inState(worker, 'draining');
}

export function resumeWorker(
  { workers }: View,
  { worker }: Payload<'identity.resume-worker'>,
): IdentityDecision {
  return workers.stateOf(worker) ? inState(worker, 'serving') : noWorker(worker);
}

const inState = (worker: string, state: 'draining' | 'serving'): IdentityDecision => ({
  decision: done({ worker, state }, []),
  changes: { workers: { kind: 'state', worker, state } },
});
