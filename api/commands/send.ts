import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Request } from 'express';
import { isAudited } from '../../shared/audit/commands';
import type { Actor, Envelope, Outcome } from '../../shared/command';
import type { Now } from '../../shared/database/clock';
import { AcceptanceUnknown, NotAccepted } from '../../shared/messaging/transport';
import { isTraceparent, type Tracing } from '../../shared/tracing';
import { sendAnswer } from '../http/answer';
import { clientOf } from '../http/client';
import { commandWait } from '../metrics';
import type { Answer, Draft, Input } from '../http/endpoint';
import type { SendCommand } from '../http/mount';
import { contextOf } from '../http/request-context';
import type { Admission } from './admission';
import type { CommandIds } from './command-id';
import { claimKey, knownKey, readIdempotencyKey } from './idempotency';
import type { Outcomes } from './outcomes';
import { readPreference } from './preference';
import { answerOf, promiseOf } from './result';
import type { Waiters } from './waiters';
import type { Ways } from './ways';

/**
 * How long a command whose fate is unknown is published again, under the same id, milliseconds.
 * That helps when the broker was lost; this is less than a confirm may take, for one that is late
 * may still come.
 */
const RESEND_MS = 4000;
/** Pause between two such tries, milliseconds. */
const RESEND_PAUSE_MS = 250;
/**
 * How long a reply is of use, milliseconds: who does not wait now may ask for the command in a
 * moment, and wait then. This is the only deadline that a command carries. None is dropped for
 * being late: a promise is kept whenever it can be, and a client that was told nothing, because its
 * connection broke or the broker did not confirm, sends the same key again and must find the one
 * effect and its answer. That late commands are few is the work of admission.
 */
const REPLY_USEFUL_MS = 30_000;
/** Longest network address that is kept, characters. */
const ADDRESS_LENGTH_MAX = 64;

export interface CommandDependencies {
  readonly sender: Admission;
  readonly waiters: Waiters;
  readonly outcomes: Outcomes;
  readonly ids: CommandIds;
  readonly ways: Ways;
  readonly now: Now;
  /** How long a client waits that does not say, milliseconds. */
  readonly waitMs: number;
  readonly tracing: Tracing | null;
}

interface Sending {
  readonly envelope: Envelope;
  /** Whose share it belongs to; null for what the API sends by itself. */
  readonly client: string | null;
}

/**
 * What the sender of a command gets to know: its outcome in time, or null and the promise that it
 * will be carried out.
 */
async function carryOut(
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
  { sender, waiters, ways, tracing }: CommandDependencies,
  sending: Sending,
  waitMs: number,
): Promise<Outcome | null> {
  const { envelope } = sending;
  const waiter = waiters.wait(envelope.commandId, waitMs);
  try {
    const published = tracing ? tracedPublish(tracing, sender, sending) : publish(sender, sending);
    const way = ways.begin(envelope, published);
    // The reply may come before the confirm, and then the confirm does not matter any more.
    const first = await Promise.race([waiter.outcome, published.then(() => null)]);
    if (first) published.catch(() => undefined);
    else await published;
    const outcome = first ?? (await waiter.outcome);
    ways.end(way, outcome);
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
  const { type, commandId, traceparent: parent } = envelope;
  const span = tracing.start({
    name: `publish ${type}`,
    kind: 'producer',
    parent,
    attributes: { 'lendline.command_id': commandId },
  });
  try {
    await publish(sender, { envelope: { ...envelope, traceparent: span.traceparent }, client });
    span.end();
  } catch (error) {
    span.end({ error: (error as Error).message });
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

/** Makes the envelope of a draft. */
function envelopeOf(
  draft: Draft,
  { sender, now }: CommandDependencies,
  of: Pick<Envelope, 'commandId' | 'actor' | 'requestId' | 'traceparent'> & {
    readonly address: () => string | null;
  },
): Envelope {
  const { commandId, actor, requestId, traceparent } = of;
  const { type, key, payload } = draft;
  const createdAt = now().getTime();
  const address = isAudited({ type, actor, payload })
    ? of.address()?.slice(0, ADDRESS_LENGTH_MAX)
    : null;
  return {
    commandId,
    type,
    key,
    actor,
    payload,
    requestId,
    createdAt,
    replyTo: sender.replyTo,
    replyBy: createdAt + REPLY_USEFUL_MS,
    traceparent,
    ...(address && { address }),
  };
}

type ToDraft = () => Promise<Draft> | Draft;

/**
 * The draft, or what its making met: that is no answer to who sends the key of a command that has
 * ended.
 */
async function attempt(
  toDraft: ToDraft,
): Promise<{ readonly draft: Draft } | { readonly error: unknown }> {
  try {
    return { draft: await toDraft() };
  } catch (error) {
    return { error };
  }
}

/**
 * A request as the command that it stands for. `known` is the answer, when its key was used before
 * and the command has ended.
 */
type Identified = { readonly commandId: string } & (
  { readonly draft: Draft } | { readonly known: Outcome }
);

/**
 * Which command a request stands for. Where there is no room for it that is said before its key is
 * written down, and for most requests before anything is asked of the database, so that an overload
 * is not made worse; one that names only a borrow or a copy has to be looked up first.
 */
async function identify(
  deps: CommandDependencies,
  input: Input,
  type: Draft['type'],
  { method, headersDistinct }: Request,
  toDraft: ToDraft,
): Promise<Identified> {
  const { ids, outcomes, sender, now } = deps;
  const { actor, sent, url } = input;
  const newId = ids.make(type, actor.userId, now().getTime());
  const key = readIdempotencyKey(headersDistinct['idempotency-key']);
  if (key === null) return { commandId: newId, draft: await toDraft() };
  const attempted = await attempt(toDraft);
  const [path = url] = url.split('?');
  const request = { userId: actor.userId, method, path, key, content: sent };
  if ('draft' in attempted) sender.mustHaveRoom(attempted.draft);
  const commandId =
    'draft' in attempted
      ? await claimKey(ids, request, newId, now())
      : await knownKey(ids, request, now());
  const [known] = commandId === null || commandId === newId ? [] : await outcomes.find([commandId]);
  if (commandId !== null && known) return { commandId, known };
  if (commandId === null || !('draft' in attempted)) throw (attempted as { error: unknown }).error;
  return { commandId, draft: attempted.draft };
}

/**
 * Makes the function that turns a checked request into a command and answers with its outcome, or
 * with a promise.
 */
export function createSendCommand(deps: CommandDependencies): SendCommand {
  return async (input, toDraft, request, response, endpoint) => {
    const preference = readPreference(input.header('prefer'));
    const identified = await identify(deps, input, endpoint.type, request, toDraft);
    const { commandId } = identified;
    contextOf(response).commandId = commandId;
    // A request that is refused before it becomes a command has honoured no preference.
    const answer = (final: Answer) => {
      if (preference.applied) response.setHeader('Preference-Applied', preference.applied);
      sendAnswer(request, response, final);
    };
    if ('known' in identified) {
      answer(
        preference.promiseOnly
          ? promiseOf(commandId)
          : answerOf(identified.known, endpoint.decorate),
      );
      return;
    }
    const waitMs = preference.waitMs ?? deps.waitMs;
    const given = input.header('traceparent') ?? '';
    const envelope = envelopeOf(identified.draft, deps, {
      commandId,
      actor: input.actor,
      requestId: input.requestId,
      traceparent: contextOf(response).traceparent ?? (isTraceparent(given) ? given : null),
      address: () => input.address,
    });
    const outcome = await carryOut(deps, { envelope, client: clientOf(input) }, waitMs);
    answer(outcome ? answerOf(outcome, endpoint.decorate) : promiseOf(commandId));
  };
}

/**
 * Sends a command of the API's own, on behalf of an actor. Resolves with its outcome, or with null
 * after `waitMs` milliseconds.
 */
export async function sendOwnCommand(
  deps: CommandDependencies,
  draft: Draft,
  actor: Actor,
  waitMs: number,
): Promise<Outcome | null> {
  const requestId = randomUUID();
  const commandId = deps.ids.make(draft.type, actor.userId, deps.now().getTime());
  const envelope = envelopeOf(draft, deps, {
    commandId,
    actor,
    requestId,
    traceparent: null,
    address: () => null,
  });
  return carryOut(deps, { envelope, client: null }, waitMs);
}
