import { isSampled, type OpenSpan, type Tracing } from '../../shared/tracing';
import type { CommandDelivery } from './deliveries';
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
    attributes: { 'messaging.batch.message_count': deliveries.length },
  });
  steps(tracing, batch, times, ['read', 'decide', 'commit', 'reply']);
  for (const delivery of traced) traceCommand(tracing, delivery, times, batch);
  batch.end({ endedAt: times.endOf('reply') });
}

function traceCommand(
  tracing: Tracing,
  { takenAt, hold, message: { envelope } }: CommandDelivery,
  times: BatchTimes,
  batch: OpenSpan,
): void {
  const { type, commandId, requestId, traceparent } = envelope;
  const attributes = {
    'messaging.destination.name': hold.name,
    'lendline.command_id': commandId,
    'lendline.request_id': requestId,
  };
  const span = tracing.start({
    name: `consume ${type}`,
    kind: 'consumer',
    parent: traceparent,
    startedAt: takenAt,
    links: [batch.traceparent],
    attributes,
  });
  steps(tracing, span, times, ['decide', 'commit', 'reply']);
  span.end({ endedAt: times.endOf('reply') });
}

const BEFORE = { read: null, decide: 'read', commit: 'decide', reply: 'commit' } as const;

function steps(
  tracing: Tracing,
  { traceparent: parent }: OpenSpan,
  times: BatchTimes,
  names: readonly (keyof typeof BEFORE)[],
): void {
  for (const name of names) {
    const before = BEFORE[name];
    tracing
      .start({
        name,
        kind: 'internal',
        parent,
        startedAt: before ? times.endOf(before) : times.begun,
      })
      .end({ endedAt: times.endOf(name) });
  }
}
