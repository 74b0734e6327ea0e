import type { Mutation } from './mutation';

const SIMULATION = { tests: 'test/simulation', only: 'keeps every promise' };
const CONSUMER = 'test/integration/consumer';
const BATCH = 'test/integration/batch';
const RESIZE = {
  tests: 'test/faults/resize.test.ts',
  only: 'what was accepted before',
  built: true,
} as const;

/**
 * What holds the promises of the pipeline while workers die, freeze, are cut off and follow one
 * another.
 */
export const pipelineMutations: readonly Mutation[] = [
  {
    guard: 'a batch commits under the present epoch only (fence)',
    file: 'workers/batch/commit-batch.ts',
    find: 'if (fence.affected !== prepared.partitions)',
    replace: 'if (fence.affected > prepared.partitions)',
    ...SIMULATION,
  },
  {
    guard: 'whoever takes a partition over raises its epoch',
    file: 'workers/batch/fence.ts',
    find: 'SET epoch = epoch + 1, owner',
    replace: 'SET epoch = epoch + 0, owner',
    ...SIMULATION,
  },
  {
    guard: 'what is no batch is fenced as well',
    file: 'workers/batch/fenced.ts',
    find: 'if (fence?.affected === epochs.length)',
    replace: 'if (fence)',
    tests: `${BATCH}/suspects.test.ts`,
    only: 'is acquitted by none',
  },
  {
    guard: 'a command whose outcome is known is not carried out again (dedupe)',
    file: 'workers/batch/decide-batch.ts',
    find: "if (outcomes.has(envelope.commandId) || standing === 'later') continue;",
    replace: "if (standing === 'later') continue;",
    ...SIMULATION,
  },
  {
    guard: 'the outcome of an earlier delivery counts (dedupe)',
    file: 'workers/batch/decide-batch.ts',
    find: 'context.known.map(outcomeOf).map(',
    replace: '([] as Outcome[]).map(',
    ...SIMULATION,
  },
  {
    guard: 'nothing is acknowledged before its commit',
    file: 'workers/batch/process-batch.ts',
    find: `    const done = await this.carryOut(run, upNext);
    if (done) this.acknowledge(run);`,
    replace: `    this.acknowledge(run);
    const done = await this.carryOut(run, upNext);`,
    ...SIMULATION,
  },
  {
    guard: 'what was fetched by a channel that is closed is dropped',
    file: 'workers/batch/deliveries.ts',
    find: '!hold.lost;\n',
    replace: 'hold.epoch !== null;\n',
    tests: `${BATCH}/process-batch.test.ts`,
    only: 'whose channel is gone',
  },
  {
    guard: 'a channel that closes takes its hold along',
    file: 'workers/consumer/partition.ts',
    find: '        hold.lost = true;\n        this.reopen',
    replace: '        this.reopen',
    tests: `${CONSUMER}/partition.test.ts`,
    only: 'that the broker closes',
  },
  {
    guard: 'a partition is given up by closing its channel, and not by a negative acknowledgement',
    file: 'workers/consumer/partition.ts',
    find: `        // The close event that follows opens a new channel.
        channel.close().catch(() => undefined);`,
    replace: '        channel.nackAll();',
    tests: `${CONSUMER}/partition.test.ts`,
  },
  {
    guard: 'a channel that the broker closed is opened again',
    file: 'workers/consumer/partition.ts',
    find: '        this.reopen(wrapper, hold);\n',
    replace: '',
    ...SIMULATION,
  },
  {
    guard: 'a message is acknowledged when the last of its commands is done',
    file: 'workers/consumer/unacknowledged.ts',
    find: 'first.lastPlace <= place',
    replace: 'first.lastPlace <= place + 1',
    ...SIMULATION,
  },
  {
    guard: 'a queue that was deleted is declared again',
    file: 'workers/consumer/partition.ts',
    find: '    await declarePartition(channel, name);\n',
    replace: '',
    tests: `${CONSUMER}/partition.test.ts`,
    only: 'makes its queue anew',
  },
  {
    guard: 'a server that is away, or a COMMIT without an answer, is no fault of a command',
    file: 'workers/batch/process-batch.ts',
    find: 'const next = nextStep(error);',
    replace:
      "const next: ReturnType<typeof nextStep> = (error as Error).name === 'FencedOut' ? 'fenced' : 'isolate';",
    ...SIMULATION,
  },
  {
    guard: 'a missing table is no evidence against a command',
    file: 'workers/batch/retry.ts',
    find: "BROKEN_VALUE_OF_SQLITE.test(code) ? 'isolate' : 'retry';",
    replace: "BROKEN_VALUE_OF_SQLITE.test(code) ? 'isolate' : 'isolate';",
    tests: 'test/unit/batch/retry.test.ts',
    only: 'ER_NO_SUCH_TABLE is a fault of the system',
  },
  {
    guard: 'what a decision throws is evidence against a command',
    file: 'workers/batch/retry.ts',
    find: "  if (error instanceof CommandFault) return 'isolate';\n",
    replace: '',
    tests: 'test/unit/batch/retry.test.ts',
    only: 'what is thrown while commands are decided',
  },
  {
    guard: 'a COMMIT without an answer is not taken for done',
    file: 'workers/batch/transaction.ts',
    find: '        await sendPacket(connection, [...statements, COMMIT], { after });',
    replace:
      '        await sendPacket(connection, [...statements, COMMIT], { after }).catch(() => undefined);',
    ...SIMULATION,
  },
  {
    guard: 'a worker that stands still inside of its transaction is ended',
    file: 'workers/batch/fence.ts',
    find: '    endOwners(database, sorted).catch(() => undefined);\n',
    replace: '',
    tests: `${BATCH}/fence.test.ts`,
    only: 'stands still inside of a batch',
  },
  {
    guard: 'the connection of the batches holds the lock by which it is found',
    file: 'workers/batch/batch-connection.ts',
    find: 'if (await this.lock(connection, 0)) return connection;',
    replace: 'if (this.pool.validate(connection)) return connection;',
    tests: `${BATCH}/fence.test.ts`,
    only: 'stands still inside of a batch',
  },
  {
    guard: "what is left of a worker's last connection is ended before it has another",
    file: 'workers/batch/batch-connection.ts',
    find: '      await end(connection, this.worker);\n',
    replace: '',
    tests: `${BATCH}/fence.test.ts`,
    only: 'which the server does not notice',
  },
  {
    guard: 'one batch at a time has the connection of the batches',
    file: 'workers/batch/batch-connection.ts',
    find: "    if (this.taken) throw new Error('a batch is under way on this connection');\n",
    replace: '',
    tests: `${BATCH}/fence.test.ts`,
    only: 'one batch at a time',
  },
  {
    guard: 'a batch is written on the connection that has its fence',
    file: 'workers/batch/transaction.ts',
    find: '        await sendPacket(connection, [...statements, COMMIT], { after });\n',
    replace: `        const other = await poolOf(database).getConnection({ type: 'write' });
        await sendPacket(other, [...statements, COMMIT], { after });
        poolOf(database).releaseConnection(other);
`,
    ...SIMULATION,
  },
  {
    guard: 'a MySQL that says nothing is given up',
    file: 'shared/database/session.ts',
    find: '  if (answerMs !== undefined) endWhenSilent(session, answerMs);\n',
    replace: '',
    tests: `${BATCH}/fence.test.ts`,
    only: 'waits no longer for a MySQL that says nothing',
  },
  {
    guard: 'deliveries that come again are marked as suspects',
    file: 'workers/batch/suspects.ts',
    find: 'redeliveries >= REDELIVERIES_MIN',
    replace: 'redeliveries < 0',
    ...SIMULATION,
  },
  {
    guard: 'a command that ended too many processes is given up',
    file: 'workers/batch/process-batch.ts',
    find: 'if (deaths >= DEATHS_MAX)',
    replace: 'if (deaths > 1000 * DEATHS_MAX)',
    ...SIMULATION,
  },
  {
    guard: 'a command that cannot be carried out harms no neighbour',
    file: 'workers/batch/process-batch.ts',
    find: "if (next !== 'retry' && next !== 'fenced' && held.length > 1) return this.carryOutHalves(held);",
    replace: '',
    ...SIMULATION,
  },
  {
    guard: 'nothing overtakes a dead letter of its aggregate (quarantine)',
    file: 'workers/batch/decide-batch.ts',
    find: "if (standing === 'behind')",
    replace: "if (standing === 'behind' && quarantine.writes().length > 1000)",
    ...SIMULATION,
  },
  {
    guard: 'a letter that was not released is not carried out',
    file: 'workers/batch/quarantine.ts',
    find: 'if (first.commandId === commandId && first.released)',
    replace: 'if (first.commandId === commandId)',
    tests: `${BATCH}/quarantine.test.ts`,
    only: 'carries nothing out that was not released',
  },
  {
    guard: 'a forwarded command is stored with its batch',
    file: 'workers/batch/commit-batch.ts',
    find: '...insert(Outbox, outboxRows(decided.events, decidedAt)), ...outgoing, ...audit]',
    replace:
      '...insert(Outbox, outboxRows(decided.events, decidedAt)), ...outgoing.slice(1), ...audit]',
    ...SIMULATION,
  },
  {
    guard: 'a forwarded command stays stored until the broker has it',
    file: 'workers/consumer/outgoing.ts',
    find: '            await this.options.link.forward(envelope);\n            sent.push(seq);',
    replace: '            sent.push(seq);\n            await this.options.link.forward(envelope);',
    ...SIMULATION,
  },
  {
    guard: 'workers that are gone are ranked no more',
    file: 'workers/consumer/balance.ts',
    find: 'FROM worker_heartbeat WHERE beat_at > NOW(3) - INTERVAL ${WORKER_ALIVE_S} SECOND',
    replace: 'FROM worker_heartbeat',
    ...SIMULATION,
  },
  {
    guard: 'a worker that does not reach MySQL gives its partitions up',
    file: 'workers/consumer/balance.ts',
    find: 'performance.now() - this.reachedAt > LEAVE_AFTER_MS',
    replace: 'performance.now() - this.reachedAt > 1000 * LEAVE_AFTER_MS',
    tests: `${CONSUMER}/balance.test.ts`,
    only: 'MySQL says nothing',
  },
  {
    guard: 'a worker that was given up comes back',
    file: 'workers/consumer/balance.ts',
    find: '    this.away = false;\n',
    replace: '',
    tests: `${CONSUMER}/balance.test.ts`,
    only: 'MySQL says nothing',
  },
  {
    guard: 'an event loop that stands still ends its process (watchdog)',
    file: 'workers/watchdog.ts',
    find: "  process.kill(process.pid, 'SIGKILL');\n",
    replace: '',
    tests: 'test/integration/watchdog.test.ts',
    only: 'stands still',
    built: true,
  },
  {
    guard: 'a client that does not wait any more is not replied to (deadline)',
    file: 'workers/batch/process-batch.ts',
    find: 'replyBy >= now && outcomes.has(commandId)',
    replace: 'replyBy >= 0 && now > 0 && outcomes.has(commandId)',
    tests: `${BATCH}/process-batch.test.ts`,
    only: 'that still waits',
  },
  {
    guard: 'an old layout takes no command any more once there is a new one (change of partitions)',
    file: 'shared/messaging/declare.ts',
    find: "  await channel.unbindExchange(PARTITIONS_EXCHANGE, commandsExchange(generation), '');\n",
    replace: '  await Promise.resolve([channel, generation]);\n',
    ...RESIZE,
  },
  {
    guard:
      'what is queued in the old layout is carried out before anything of the new one (probes)',
    file: 'workers/duties/partition-change.ts',
    find: 'return open.size === 0;',
    replace: 'return open.size >= 0;',
    ...RESIZE,
  },
  {
    guard: 'nothing can take effect any more in a layout that is drained (change of partitions)',
    file: 'shared/database/layouts.ts',
    find: '  await PartitionOwner.destroy({ where: { partitionName: partitionNames(serviceNames, layout) }, transaction });\n',
    replace: '',
    tests: `${BATCH}/fence.test.ts`,
    only: 'whose layout is drained',
  },
  {
    guard: 'a text cannot end its place in a statement',
    file: 'workers/batch/quick-values.ts',
    find: "text.replace(/['\\\\]/g",
    replace: 'text.replace(/[\\\\]/g',
    tests: `${BATCH}/quick-values.test.ts`,
    only: 'texts of any characters',
  },
];
