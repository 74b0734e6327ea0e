import { randomUUID } from 'node:crypto';
import type { Request } from 'express';
import { isAudited } from '../../shared/audit/commands';
import type { Actor, Envelope, Outcome } from '../../shared/command';
import { traceContextIn, type TraceContext } from '../../shared/tracing';
import { sendAnswer } from '../http/responses/answer';
import { clientOf } from '../http/security/client';
import type { Answer, Draft, Input, Result, WriteEndpoint } from '../http/endpoint';
import type { SendCommand } from '../http/mount';
import { contextOf } from '../http/request-context';
import { carryOut, type CommandDependencies } from './carry-out';
import { claimKey, knownKey, readIdempotencyKey } from './idempotency';
import { readPreference } from './preference';
import { answerOf, minimalOf, promiseOf } from './result';

/**
 * How long a reply is of use, milliseconds: a client that stopped waiting may ask again in a
 * moment. Only the reply has a deadline. The command itself never expires, because its client may
 * have been promised a result, or may retry its key.
 */
const REPLY_USEFUL_MS = 30_000;
/** Longest network address that is kept, characters. */
const ADDRESS_LENGTH_MAX = 64;

/** Makes the envelope of a draft. */
export function envelopeOf(
  draft: Draft,
  { sender, now }: CommandDependencies,
  of: Pick<Envelope, 'commandId' | 'actor' | 'requestId'> & {
    readonly trace: TraceContext | null;
    readonly address: () => string | null;
  },
): Envelope {
  const { commandId, actor, requestId, trace } = of;
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
    traceparent: null,
    ...trace,
    ...(address && { address }),
  };
}

export type ToDraft = () => Promise<Draft> | Draft;

/**
 * The draft, or what its making met: that is no answer to who sends the key of a command that has
 * ended.
 */
export async function attempt(
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
  | { readonly draft: Draft }
  | { readonly known: Outcome }
);

/**
 * Finds the command that a request stands for. An overloaded API refuses before it stores the key,
 * and before most queries. A request that names only a borrow or a copy has to be looked up first.
 */
async function identify(
  deps: CommandDependencies,
  input: Input,
  { method, headersDistinct }: Request,
  toDraft: ToDraft,
): Promise<Identified> {
  const { ids, outcomes, sender, now } = deps;
  const { actor, sent, url } = input;
  const newIdOf = ({ type }: Draft) => ids.make(type, actor.userId, now().getTime());
  const key = readIdempotencyKey(headersDistinct['idempotency-key']);
  if (key === null) {
    const draft = await toDraft();
    return { commandId: newIdOf(draft), draft };
  }
  const attempted = await attempt(toDraft);
  const [path = url] = url.split('?');
  const request = { userId: actor.userId, method, path, key, content: sent };
  if ('draft' in attempted) sender.mustHaveRoom(attempted.draft);
  const newId = 'draft' in attempted ? newIdOf(attempted.draft) : null;
  const commandId =
    newId === null
      ? await knownKey(ids, request, now())
      : await claimKey(ids, request, newId, now());
  const [known] = commandId === null || commandId === newId ? [] : await outcomes.find([commandId]);
  if (commandId !== null && known) return { commandId, known };
  if (commandId === null || !('draft' in attempted)) throw (attempted as { error: unknown }).error;
  return { commandId, draft: attempted.draft };
}

/** @throws Problem when the answer to a command that succeeded must not be given again. */
async function mayRepeat({ beforeRepeat }: WriteEndpoint, { ending }: Outcome): Promise<void> {
  if (beforeRepeat && ending.status === 'succeeded' && ending.result !== null)
    await beforeRepeat(JSON.parse(ending.result) as Result);
}

/**
 * Makes the function that turns a checked request into a command and answers with its outcome, or
 * with a promise.
 */
export function createSendCommand(deps: CommandDependencies): SendCommand {
  return async (input, toDraft, request, response, endpoint) => {
    const finalAnswer = (outcome: Outcome) => answerOf(outcome, endpoint);
    const preference = readPreference(input.header('prefer'));
    const identified = await identify(deps, input, request, toDraft);
    const { commandId } = identified;
    contextOf(response).commandId = commandId;
    // A request that is refused before it becomes a command has honoured no preference.
    const answer = (whole: Answer) => {
      // What is told once, such as a token, is told.
      const minimal = preference.isMinimal && !endpoint.decorate ? minimalOf(whole) : null;
      const applied = [preference.applied, minimal && 'return=minimal'].filter(Boolean).join(', ');
      if (applied) response.setHeader('Preference-Applied', applied);
      sendAnswer(request, response, minimal ?? whole);
    };
    if ('known' in identified) {
      const { known } = identified;
      if (!preference.promiseOnly) await mayRepeat(endpoint, known);
      answer(preference.promiseOnly ? promiseOf(commandId) : finalAnswer(known));
      return;
    }
    const waitMs = preference.waitMs ?? deps.waitMs;
    const envelope = envelopeOf(identified.draft, deps, {
      commandId,
      actor: input.actor,
      requestId: input.requestId,
      trace: contextOf(response).trace ?? traceContextIn((name) => input.header(name)),
      address: () => input.address,
    });
    const outcome = await carryOut(deps, { envelope, client: clientOf(input) }, waitMs);
    answer(outcome ? finalAnswer(outcome) : promiseOf(commandId));
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
    trace: null,
    address: () => null,
  });
  return carryOut(deps, { envelope, client: null }, waitMs);
}
