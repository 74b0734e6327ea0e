import type { Request } from 'express';
import type { Outcome } from '../../shared/command';
import { AcceptanceUnknown, NotAccepted } from '../../shared/messaging/transport';
import { traceContextIn } from '../../shared/tracing';
import { sendAnswer } from '../http/responses/answer';
import { clientOf } from '../http/security/client';
import type { Draft, Input } from '../http/endpoint';
import { problemOf } from '../http/responses/errors';
import type { SendBulk } from '../http/mount';
import { Problem } from '../http/responses/problem';
import { contextOf } from '../http/request-context';
import { claimParts, readIdempotencyKey } from './idempotency';
import { readPreference } from './preference';
import { endedItem, queuedItem, refusedItem } from './result';
import { carryOut, type CommandDependencies } from './carry-out';
import { attempt, envelopeOf, type ToDraft } from './send';

/**
 * Many commands in one request: each is sent, decided and answered like a single one, and all are
 * answered together. Those of one aggregate are sent in their order, each once the one before it is
 * stored.
 */

/** An item as a command, or the reason why it is none. */
type Item =
  | { readonly commandId: string; readonly draft: Draft }
  | { readonly commandId: string; readonly known: Outcome }
  | { readonly problem: Problem };

/** Finds the commands of the items. With a key, those are the commands of its first request. */
async function identifyAll(
  { ids, outcomes, sender, now }: CommandDependencies,
  { actor, sent, url }: Input,
  { method, headersDistinct }: Request,
  toDrafts: readonly ToDraft[],
): Promise<Item[]> {
  const key = readIdempotencyKey(headersDistinct['idempotency-key']);
  const attempts = await Promise.all(toDrafts.map(attempt));
  for (const one of attempts)
    if ('error' in one && !(one.error instanceof Problem)) throw one.error;
  sender.mustHaveRoom(...attempts.flatMap((one) => ('draft' in one ? [one.draft] : [])));
  const newIds = attempts.map((one) =>
    'draft' in one ? ids.make(one.draft.type, actor.userId, now().getTime()) : null,
  );
  const [path = url] = url.split('?');
  const request = { userId: actor.userId, method, path, key: key ?? '', content: sent };
  const commandIds = key === null ? newIds : await claimParts(ids, request, newIds, now());
  const used = commandIds.filter((id, index): id is string => id !== null && id !== newIds[index]);
  const found = used.length > 0 ? await outcomes.find(used) : [];
  const known = new Map(found.map((outcome) => [outcome.commandId, outcome]));
  return attempts.map((one, index) => {
    const commandId = commandIds[index] ?? null;
    const outcome = commandId === null ? undefined : known.get(commandId);
    if (commandId !== null && outcome) return { commandId, known: outcome };
    if (commandId === null || 'error' in one) return { problem: (one as { error: Problem }).error };
    return { commandId, draft: one.draft };
  });
}

/** Lets those of one key begin one after the other. */
class Turns {
  private readonly last = new Map<string, Promise<void>>();

  /** Resolves when it is its turn; the next one's comes when the function is called. */
  async take(key: string): Promise<() => void> {
    const before = this.last.get(key);
    let end: () => void = () => undefined;
    this.last.set(key, new Promise((resolve) => (end = resolve)));
    await before;
    return end;
  }
}

export function createSendBulk(deps: CommandDependencies): SendBulk {
  return async (input, toDrafts, request, response) => {
    const { waitMs, promiseOnly, applied } = readPreference(input.header('prefer'));
    const until = performance.now() + (waitMs ?? deps.waitMs);
    const items = await identifyAll(deps, input, request, toDrafts);
    const turns = new Turns();
    const trace = contextOf(response).trace ?? traceContextIn((name) => input.header(name));
    const { actor, requestId } = input;

    const send = async (commandId: string, draft: Draft): Promise<string> => {
      const of = { commandId, actor, requestId, trace, address: () => input.address };
      const onPublished = await turns.take(draft.key);
      try {
        const envelope = envelopeOf(draft, deps, of);
        const sending = { envelope, client: clientOf(input), onPublished };
        const outcome = await carryOut(deps, sending, Math.max(0, until - performance.now()));
        return outcome ? endedItem(outcome) : queuedItem(commandId);
      } catch (error) {
        const isOfItem =
          error instanceof Problem ||
          error instanceof NotAccepted ||
          error instanceof AcceptanceUnknown;
        if (!isOfItem) throw error;
        return refusedItem(problemOf(error, commandId), requestId);
      } finally {
        onPublished();
      }
    };

    const results = await Promise.all(
      items.map(async (item) => {
        if ('problem' in item) return refusedItem(item.problem, requestId);
        if ('draft' in item) return send(item.commandId, item.draft);
        return promiseOnly ? queuedItem(item.commandId) : endedItem(item.known);
      }),
    );
    if (applied) response.setHeader('Preference-Applied', applied);
    sendAnswer(request, response, { status: 200, json: `{"items":[${results.join(',')}]}` });
  };
}
