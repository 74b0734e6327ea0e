import type { Mutation } from './mutation';

const DECISIONS = { tests: 'test/unit/identity/decide-workers.test.ts' } as const;
const BALANCE = { tests: 'test/integration/workers/consumer/balance.test.ts' } as const;
const ROUTES = 'api/console/worker-routes.ts';

/** What administrators do with workers, partitions and dead letters. */
export const workerMutations: readonly Mutation[] = [
  {
    guard: 'the last worker that serves is not drained',
    file: 'workers/identity/decide-workers.ts',
    find: 'if (!workers.servesWithout(worker))',
    replace: 'if (workers.servesWithout(worker) === null)',
    ...DECISIONS,
    only: 'is not drained, also later in the same batch',
  },
  {
    guard: 'a worker that cannot carry out every command does not count as one that serves',
    file: 'workers/identity/workers.ts',
    find: 'one.worker !== worker && one.isAble &&',
    replace: 'one.worker !== worker &&',
    ...DECISIONS,
    only: 'is one beside which',
  },
  {
    guard: 'the number of partitions is changed once at a time',
    file: 'workers/identity/decide-workers.ts',
    find: 'if (changesTo !== null)',
    replace: 'if (changesTo === -1)',
    ...DECISIONS,
    only: 'is changed once at a time',
  },
  {
    guard: 'the number of partitions is changed by administrators only',
    file: ROUTES,
    find: "path: '/api/console/partitions/resize',\n  who: 'admin',",
    replace: "path: '/api/console/partitions/resize',\n  who: 'user',",
    tests: 'test/contract/common/authorization.test.ts',
    only: 'tells ',
    built: true,
  },
  {
    guard: 'workers are drained and resumed by administrators only',
    file: ROUTES,
    find: "${verb}`,\n  who: 'admin',",
    replace: "${verb}`,\n  who: 'user',",
    tests: 'test/contract/common/authorization.test.ts',
    only: 'tells ',
    built: true,
  },
  {
    guard: 'a drained worker takes no partition',
    file: 'workers/consumer/balance.ts',
    find: "    if (this.state !== 'serving') return NO_RANK;\n",
    replace: '',
    ...BALANCE,
    only: 'hands every partition over when the worker is drained',
  },
  {
    guard: 'a worker that is drained is not ranked by others',
    file: 'workers/consumer/balance.ts',
    find: "peers.filter(({ state }) => state === 'serving')",
    replace: 'peers.filter(({ state }) => state !== null)',
    ...BALANCE,
    only: 'does not rank a worker that is drained',
  },
  {
    guard: 'a drained worker whose row is lost stays drained',
    file: 'workers/consumer/balance.ts',
    find: 'await sendHeartbeat(database, worker, this.state, this.report());',
    replace: "await sendHeartbeat(database, worker, 'serving', this.report());",
    ...BALANCE,
    only: 'stays drained when its row is lost',
  },
  {
    guard: 'a replay of dead letters that deadlocks with a worker runs again',
    file: 'shared/database/deadlocks.ts',
    find: 'if (tries === TRIES_MAX || !isDeadlock(error)) throw error;',
    replace: 'if (tries > 0 || !isDeadlock(error)) throw error;',
    tests: 'test/integration/shared/database/dead-letters.test.ts',
    only: 'a replay that deadlocks with a worker',
  },
];
