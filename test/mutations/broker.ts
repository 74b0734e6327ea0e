import type { Mutation } from './mutation';

const SENDER = 'test/integration/rabbitmq-sender.test.ts';
const LOST_CONFIRMS = 'test/faults/lost-confirms.test.ts';
const LINK = 'test/integration/events/rabbitmq-link.test.ts';
const TOPOLOGY = { tests: 'test/integration/topology.test.ts', only: 'quorum queue', built: true } as const;
const PARTITION_ARGUMENTS = 'shared/messaging/topology.ts';

/** What the API promises, what is refused, and what is published. */
export const brokerMutations: readonly Mutation[] = [
  {
    guard: 'a message that is not signed by this installation is no command',
    file: 'shared/messaging/message.ts',
    find: 'message: signed ? decodeEnvelope(content) : UNSIGNED,',
    replace: 'message: signed ? decodeEnvelope(content) : decodeEnvelope(content) ?? UNSIGNED,',
    tests: 'test/integration/forged-commands.test.ts',
    only: 'behind it are carried out',
    built: true,
  },
  {
    guard: 'a forged command that is moved to another queue is not signed there',
    file: 'workers/duties/partition-change.ts',
    find: '{ ...this.signed(text), headers: {} }',
    replace: 'this.signed(text)',
    tests: 'test/integration/forged-commands.test.ts',
    only: 'comes late',
    built: true,
  },
  {
    guard: 'a confirm that does not come is no success',
    file: 'api/commands/confirms.ts',
    find: 'reject(new AcceptanceUnknown(`not confirmed within ${CONFIRM_TIMEOUT_MS} ms`));',
    replace: 'resolve();',
    tests: SENDER,
  },
  {
    guard: 'a confirm that does not come is no refusal',
    file: 'api/commands/confirms.ts',
    find: "import { AcceptanceUnknown } from '../../shared/messaging/transport';",
    replace: "import { NotAccepted as AcceptanceUnknown } from '../../shared/messaging/transport';",
    tests: SENDER,
  },
  {
    guard: 'a refusal says nothing about an earlier publish that may be stored',
    file: 'api/commands/send.ts',
    find: '      if (error instanceof AcceptanceUnknown) unknown = error;\n',
    replace: '',
    tests: LOST_CONFIRMS,
    built: true,
  },
  {
    guard: 'a publish that the broker refuses is no success',
    file: 'api/commands/rabbitmq-sender.ts',
    find: 'else if (!error) this.settle',
    replace: 'else if (!error || this.channel) this.settle',
    tests: 'test/integration/overload.test.ts',
    only: 'the broker refuses',
    built: true,
  },
  {
    guard: 'a command that no queue takes is not promised (mandatory)',
    file: 'api/commands/rabbitmq-sender.ts',
    find: 'mandatory: true',
    replace: 'mandatory: false',
    tests: SENDER,
  },
  {
    guard: 'a forwarded command that no queue takes is kept (mandatory)',
    file: 'workers/consumer/rabbitmq-link.ts',
    find: '        mandatory: true,\n',
    replace: '',
    tests: LINK,
    only: 'that a worker forwards',
  },
  {
    guard: 'events count as published when the broker has confirmed them',
    file: 'workers/consumer/rabbitmq-link.ts',
    find: "      await within(channel.waitForConfirms(), 'events not confirmed');\n",
    replace: '',
    tests: LINK,
    only: 'that a worker publishes',
  },
  {
    guard: 'a confirm of events is not waited for without end',
    file: 'workers/consumer/rabbitmq-link.ts',
    find: "await within(channel.waitForConfirms(), 'events not confirmed');",
    replace: 'await channel.waitForConfirms();',
    tests: LINK,
    only: 'the confirms alone',
  },
  {
    guard: 'an event is marked as relayed after it was published',
    file: 'workers/duties/outbox-relay.ts',
    find: `      await link.publishEvents(events);
      const seqs = rows.map(({ seq }) => seq);`,
    replace: `      const seqs = rows.map(({ seq }) => seq);
      setImmediate(() => void link.publishEvents(events).catch(() => undefined));`,
    tests: 'test/integration/events/outbox-relay.test.ts',
    only: 'marks nothing before',
  },
  {
    guard: 'a partition has one consumer at a time',
    file: PARTITION_ARGUMENTS,
    find: "    'x-single-active-consumer': true,\n",
    replace: '',
    ...TOPOLOGY,
  },
  {
    guard: 'what comes back goes to the front of its queue (delivery limit)',
    file: PARTITION_ARGUMENTS,
    find: "'x-delivery-limit': DELIVERY_LIMIT",
    replace: "'x-nothing': DELIVERY_LIMIT",
    ...TOPOLOGY,
  },
  {
    guard: 'a partition whose commands are not answered takes no more (admission)',
    file: 'api/commands/admission.ts',
    find: 'return load.full || this',
    replace: 'return this',
    tests: 'test/unit/commands/admission.test.ts',
  },
  {
    guard: 'a process takes no more than it can hold (admission)',
    file: 'api/commands/admission.ts',
    find: 'return load.full || this.commands.size >= UNDER_WAY_MAX',
    replace: 'return load.full',
    tests: 'test/unit/commands/admission.test.ts',
  },
  {
    guard: 'queries fail at once while the database is away (breaker)',
    file: 'api/database/breaker.ts',
    find: 'if (this.failures >= FAILURES_MAX) throw',
    replace: 'if (this.failures < 0) throw',
    tests: 'test/unit/database/breaker.test.ts',
  },
  {
    guard: 'no client waits to find out whether the database is back (breaker)',
    file: 'api/database/breaker.ts',
    find: '    if (this.failures < FAILURES_MAX) this.failures = 0;',
    replace: '    this.failures = 0;',
    tests: 'test/unit/database/breaker.test.ts',
  },
  {
    guard: 'a query that takes too long is given up',
    file: 'shared/database/connect.ts',
    find: '  if (queryMs !== undefined) limitQueries(database, queryMs);\n',
    replace: '',
    tests: 'test/integration/time-limits.test.ts',
  },
];
