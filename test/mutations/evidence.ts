import type { Mutation } from './mutation';

const BATCH = 'test/integration/workers/batch';

/** What keeps a fault of the system from being taken for a fault of a command. */
export const evidenceMutations: readonly Mutation[] = [
  {
    guard: 'commands of two aggregates that fail alike speak against the system',
    file: 'workers/batch/failures/evidence.ts',
    find: '&& this.failsElsewhere(trial)',
    replace: '&& this.failsElsewhere(trial) && trial.tries === 0',
    tests: `${BATCH}/mend-waits.test.ts`,
    only: 'make no dead letter',
  },
  {
    guard: 'a failure of a command that another worker has now does not speak against the system',
    file: 'workers/batch/failures/evidence.ts',
    find: '!other.ownership.lost && ',
    replace: '',
    tests: 'test/unit/batch/evidence.test.ts',
    only: 'another worker has now',
  },
  {
    guard: 'a command that was carried out speaks for the system',
    file: 'workers/batch/failures/evidence.ts',
    find: '(this.successes.get(type) ?? 0) > since',
    replace: '(this.successes.get(type) ?? 0) > Infinity',
    tests: 'test/unit/batch/evidence.test.ts',
    only: 'once another of their type',
  },
  {
    guard: 'nothing behind a postponed command is acknowledged',
    file: 'workers/batch/failures/postponed.ts',
    find: 'return place >= (',
    replace: 'return place > (',
    tests: `${BATCH}/mend-waits.test.ts`,
    only: 'wait until the system is repaired',
  },
  {
    guard: 'no command overtakes a postponed one of its aggregate',
    file: 'workers/batch/failures/postponed.ts',
    find: 'return this.keys.has(message.envelope.key);',
    replace: 'return this.keys.size > 1000 && this.keys.has(message.envelope.key);',
    tests: `${BATCH}/mend-waits.test.ts`,
    only: 'in their order behind one that waits',
  },
  {
    guard: 'what is postponed is carried out before what came later',
    file: 'workers/consumer/pump.ts',
    find: 'this.arrived.putBack([...again.filter(({ ownership }) => !this.leaving.has(ownership)), ...this.next]);',
    replace:
      'this.arrived.putBack([...this.next, ...again.filter(({ ownership }) => !this.leaving.has(ownership))]);',
    tests: 'test/unit/consumer/pump.test.ts',
    only: 'postponed before anything',
  },
  {
    guard: 'a single command that no packet takes is at fault',
    file: 'workers/batch/process-batch.ts',
    find: "if (next !== 'retry' && next !== 'fenced') return this.judge(first, error);",
    replace:
      "if (next !== 'retry' && next !== 'fenced' && next !== 'split') return this.judge(first, error);",
    tests: `${BATCH}/poison.test.ts`,
    only: 'too large for a packet',
  },
];
