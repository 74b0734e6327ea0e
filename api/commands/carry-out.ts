import { setTimeout as pause } from 'node:timers/promises';
import type { Envelope, Outcome } from '../../shared/command';
import type { Now } from '../../shared/database/clock';
import { destinationAttributes } from '../../shared/messaging/trace-attributes';
import { AcceptanceUnknown, NotAccepted } from '../../shared/messaging/transport';
import { traceOf, type Tracing } from '../../shared/tracing';
import { commandWait } from '../metrics';
import type { Admission } from './admission';
import type { CommandIds } from './command-id';
import type { Outcomes } from './outcomes';
import type { Timelines } from './timelines';
import type { Waiters } from './waiters';

/** Publishes a command and waits for its outcome. */

/**
 * How long a command whose fate is unknown is published again, under the same id, milliseconds.
 * That helps when the broker was lost; this is less than a confirm may take, for one that is late
 * may still come.
 */
const RESEND_MS = 4000;
/** Pause between two such tries, milliseconds. */
const RESEND_PAUSE_MS = 250;
export interface CommandDependencies {
  readonly sender: Admission;
  readonly waiters: Waiters;
  readonly outcomes: Outcomes;
  readonly ids: CommandIds;
  readonly timelines: Timelines;
  readonly now: Now;
  /** How long a client waits that does not say, milliseconds. */
  readonly waitMs: number;
  readonly tracing: Tracing;
}

interface Sending {
  readonly envelope: Envelope;
  /** The client whose share it uses; null for commands of the API itself. */
  readonly client: string | null;
  /** Called once it is certain that it is stored or not, or nothing more is done about it. */
  readonly onPublished?: () => void;
}

/**
 * What the sender of a command gets to know: its outcome in time, or null and the promise that it
 * will be carried out.
 */
export async function carryOut(
  deps: CommandDependencies,
  sending: Sending,
  waitMs: number,
): Promise<Outcome | null> {
  const ended = commandWait.startTimer({ type: sending.envelope.type });
  try {
    const outcome = await outcomeOf(deps, sending, waitMs);
    ended({ ended: outcome ? 'answered' : 'promised' });
    return outcome;
  } catch (error) {
    ended({ ended: 'failed' });
    throw error;
  }
}

async function outcomeOf(
  { sender, waiters, timelines, tracing }: CommandDependencies,
  sending: Sending,
  waitMs: number,
): Promise<Outcome | null> {
  const { envelope } = sending;
  const waiter = waiters.wait(envelope.commandId, waitMs);
  try {
    const published = tracing.isRecording
      ? tracedPublish(tracing, sender, sending)
      : publish(sender, sending);
    if (sending.onPublished) published.then(sending.onPublished, sending.onPublished);
    const timeline = timelines.begin(envelope, published);
    // The reply may come before the confirm, and then the confirm does not matter any more.
    const first = await Promise.race([waiter.outcome, published.then(() => null)]);
    if (first) published.catch(() => undefined);
    else await published;
    const outcome = first ?? (await waiter.outcome);
    timelines.end(timeline, outcome);
    return outcome;
  } finally {
    waiter.cancel();
  }
}

/** A span from here to the confirm; the worker's spans come beneath it. */
async function tracedPublish(
  tracing: Tracing,
  sender: Admission,
  { envelope, client }: Sending,
): Promise<void> {
  const { type, commandId } = envelope;
  const span = tracing.start({
    name: `publish ${type}`,
    kind: 'producer',
    parent: traceOf(envelope),
    attributes: {
      ...destinationAttributes(tracing.systems, sender.partitionFor(envelope)),
      'messaging.operation.name': 'publish',
      'messaging.operation.type': 'send',
      'lendline.command_id': commandId,
    },
  });
  try {
    await publish(sender, { envelope: { ...envelope, ...span.context }, client });
    span.end();
  } catch (error) {
    const { name, message } = error as Error;
    span.end({ error: { type: name, message } });
    throw error;
  }
}

/** Publishes until the command is certainly stored, or certainly not, or the time is up. */
async function publish(sender: Admission, { envelope, client }: Sending): Promise<void> {
  const deadline = performance.now() + RESEND_MS;
  let unknown: AcceptanceUnknown | null = null;
  for (;;) {
    try {
      await sender.send(envelope, client);
      return;
    } catch (error) {
      if (error instanceof AcceptanceUnknown) unknown = error;
      // Once it may have been stored, a later refusal says nothing about the first time.
      if (!unknown || !(error instanceof AcceptanceUnknown || error instanceof NotAccepted))
        throw error;
      if (performance.now() > deadline) throw unknown;
      await pause(RESEND_PAUSE_MS);
    }
  }
}
