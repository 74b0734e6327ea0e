import type { Mutation } from './mutation';

const PIPELINED = { tests: 'test/integration/workers/batch/pipelined.test.ts' };

/** What keeps batches apart of which one is begun with the commit of the other. */
export const pipelinedMutations: readonly Mutation[] = [
  {
    guard: 'what was begun for another batch is rolled back',
    file: 'workers/batch/sql/mysql-transaction.ts',
    find: '    await sent?.results.then(() => sent.transaction.rollback(), () => undefined);\n',
    replace: '    if (sent) own.giveBack();\n',
    ...PIPELINED,
  },
  {
    guard: 'no transaction that was begun before stays open when no batch follows',
    file: 'workers/consumer/pump.ts',
    find: '      if (this.next.length + this.arrived.length === 0) await this.deps.transactions.dropPipelined();\n',
    replace: '',
    ...PIPELINED,
  },
  {
    guard: 'only the batch that it was begun for gets a transaction that was begun before',
    file: 'workers/batch/sql/mysql-transaction.ts',
    find: 'if (sent?.first === first)',
    replace: 'if (sent)',
    ...PIPELINED,
  },
  {
    guard: 'a transaction that could not be begun behind a commit is rolled back',
    file: 'workers/batch/sql/mysql-transaction.ts',
    find: '            if (missing <= 0) await transaction.rollback();\n',
    replace: '',
    ...PIPELINED,
  },
  {
    guard: 'a commit waits for the statements that were sent before it',
    file: 'workers/batch/sql/mysql-transaction.ts',
    find: '  await after;\n',
    replace: '',
    ...PIPELINED,
  },
  {
    guard: 'reads that were sent before count for the very commands that they are for',
    file: 'workers/batch/commit-batch.ts',
    find: 'const same = pipelined?.commands.length === commands.length && commands.every((command, index) => command === pipelined.commands[index]);',
    replace: 'const same = pipelined !== null && commands.length >= 0;',
    ...PIPELINED,
  },
];
