import {
  drainWorker,
  resizePartitions,
  resumeWorker,
} from '../../../workers/identity/decide-workers';
import { IdentityState } from '../../../workers/identity/state';
import type { StoredLayout, StoredWorker } from '../../../workers/identity/workers';

const layout: StoredLayout = { generation: 1, partitions: 16, changesTo: null };
const serving = (worker: string, more: Partial<StoredWorker> = {}): StoredWorker => ({
  worker,
  state: 'serving',
  isAble: true,
  ...more,
});

function stateOf({
  workers = [],
  layout: stored = layout,
}: {
  readonly workers?: readonly StoredWorker[];
  readonly layout?: StoredLayout | null;
} = {}): IdentityState {
  const state = new IdentityState();
  for (const worker of workers) state.workers.load(worker);
  state.workers.layout = stored;
  return state;
}

const codeOf = ({ decision }: ReturnType<typeof drainWorker>): string =>
  decision.kind === 'refused' ? decision.refusal.code : decision.kind;

describe('the last worker that serves', () => {
  it('is not drained, also later in the same batch', () => {
    const state = stateOf({ workers: [serving('a'), serving('b')] });
    const first = drainWorker(state, { worker: 'a' });
    expect(codeOf(first)).toBe('done');
    state.evolve(first.changes);
    expect(codeOf(drainWorker(state, { worker: 'b' }))).toBe('LAST_SERVING_WORKER');
    state.evolve(resumeWorker(state, { worker: 'a' }).changes);
    expect(codeOf(drainWorker(state, { worker: 'b' }))).toBe('done');
  });

  it.each<[string, Partial<StoredWorker>]>([
    ['drained', { state: 'drained' }],
    ['draining', { state: 'draining' }],
    ['not able to carry out every command', { isAble: false }],
  ])('is one beside which the other is %s', (_what, more) => {
    const state = stateOf({ workers: [serving('a'), serving('b', more)] });
    expect(codeOf(drainWorker(state, { worker: 'a' }))).toBe('LAST_SERVING_WORKER');
  });

  it('is not one beside which a worker of the former release serves', () => {
    const state = stateOf({ workers: [serving('a'), serving('b', { state: null })] });
    expect(codeOf(drainWorker(state, { worker: 'a' }))).toBe('done');
  });
});

it('a worker that is gone, or of the former release, is neither drained nor resumed', () => {
  const state = stateOf({ workers: [serving('a'), serving('b', { state: null })] });
  for (const worker of ['gone', 'b']) {
    expect(codeOf(drainWorker(state, { worker }))).toBe('WORKER_NOT_FOUND');
    expect(codeOf(resumeWorker(state, { worker }))).toBe('WORKER_NOT_FOUND');
  }
});

it('a drained worker that is drained again stays as it is', () => {
  const state = stateOf({ workers: [serving('a', { state: 'drained' })] });
  expect(drainWorker(state, { worker: 'a' })).toMatchObject({
    decision: { result: { worker: 'a', state: 'drained' } },
    changes: {},
  });
});

describe('the number of partitions', () => {
  it('is changed once at a time, also in one batch', () => {
    const state = stateOf();
    const first = resizePartitions(state, { partitions: 32 });
    expect(first).toMatchObject({ decision: { result: { from: 16, to: 32 } } });
    state.evolve(first.changes);
    for (const partitions of [8, 16, 32])
      expect(codeOf(resizePartitions(state, { partitions }))).toBe('RESIZE_UNDER_WAY');
  });

  it('stays when it is the present one', () => {
    expect(resizePartitions(stateOf(), { partitions: 16 })).toMatchObject({
      decision: { result: { from: 16, to: 16 } },
      changes: {},
    });
  });

  it('cannot be changed where one process does everything', () => {
    expect(codeOf(resizePartitions(stateOf({ layout: null }), { partitions: 8 }))).toBe(
      'PARTITIONS_FIXED',
    );
  });
});
