import { destinationAttributes } from '../../shared/messaging/trace-attributes';
import { isSampled, traceOf, type OpenSpan, type Tracing } from '../../shared/tracing';
import type { CommandDelivery } from './ownership/deliveries';
import type { BatchTimes } from './times';

/**
 * Writes the spans of a batch. The batch is a trace of its own, with a link to each of its
 * commands. The trace of a command shows what happened to it, from arrival to reply, with a link to
 * the batch.
 */
export function traceBatch(
  tracing: Tracing,
  deliveries: readonly CommandDelivery[],
  times: BatchTimes,
): void {
  const traced = deliveries.filter(({ message }) => isSampled(message.envelope.traceparent));
  if (traced.length === 0) return;
  const links = traced.map(({ message }) => message.envelope.traceparent as string);
  const batch = tracing.start({
    name: 'batch',
    kind: 'consumer',
    parent: null,
    startedAt: times.begun,
    links,
    attributes: {
      'messaging.system': tracing.systems.messaging,
      ...PROCESS,
      'messaging.batch.message_count': deliveries.length,
    },
  });
  steps(tracing, batch, times, ['read', 'decide', 'commit', 'reply']);
  for (const delivery of traced) traceCommand(tracing, delivery, times, batch);
  batch.end({ endedAt: times.endOf('reply') });
}

const PROCESS = {
  'messaging.operation.name': 'consume',
  'messaging.operation.type': 'process',
} as const;

function traceCommand(
  tracing: Tracing,
  { takenAt, ownership, message: { envelope } }: CommandDelivery,
  times: BatchTimes,
  batch: OpenSpan,
): void {
  const { type, commandId, requestId } = envelope;
  const attributes = {
    ...destinationAttributes(tracing.systems, ownership.name),
    ...PROCESS,
    'lendline.command_id': commandId,
    'lendline.request_id': requestId,
  };
  const span = tracing.start({
    name: `consume ${type}`,
    kind: 'consumer',
    parent: traceOf(envelope),
    startedAt: takenAt,
    links: [batch.context.traceparent],
    attributes,
  });
  steps(tracing, span, times, ['decide', 'commit', 'reply']);
  span.end({ endedAt: times.endOf('reply') });
}

/** What the steps that ask the database do there. */
const OPERATIONS = { read: 'SELECT', commit: 'COMMIT' } as const;
const BEFORE = { read: null, decide: 'read', commit: 'decide', reply: 'commit' } as const;

function steps(
  tracing: Tracing,
  { context: parent }: OpenSpan,
  times: BatchTimes,
  names: readonly (keyof typeof BEFORE)[],
): void {
  for (const name of names) {
    const before = BEFORE[name];
    const isQuery = name === 'read' || name === 'commit';
    tracing
      .start({
        name,
        kind: isQuery ? 'client' : 'internal',
        parent,
        startedAt: before ? times.endOf(before) : times.begun,
        ...(isQuery && {
          attributes: {
            'db.system.name': tracing.systems.database,
            'db.operation.name': OPERATIONS[name],
          },
        }),
      })
      .end({ endedAt: times.endOf(name) });
  }
}
