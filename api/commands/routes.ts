import Joi from 'joi';
import type { Outcome } from '../../shared/command';
import type { Now } from '../../shared/database/clock';
import type { Endpoint, Input } from '../http/endpoint';
import { startEventStream } from '../http/streams/event-stream';
import { Problem } from '../http/responses/problem';
import { queryInteger } from '../http/requests/query-rules';
import { shown } from '../openapi/doc';
import { text } from '../openapi/schema';
import type { CommandIds, KnownId } from './command-id';
import type { Outcomes } from './outcomes';
import { isKept } from './idempotency';
import { endedJson, queuedJson } from './result';
import type { Waiters } from './waiters';
import type { JsonSchema } from '../openapi/schema';
import { commandState } from './schemas';

/** The endpoints of a command: read it, wait for it, or stream it. */

/** Longest wait of one request, seconds. */
const WAIT_S_MAX = 30;
/**
 * How long a stream waits for the outcome before it looks whether the client is still there,
 * milliseconds.
 */
const STREAM_WAIT_MS = 10_000;

export interface CommandRoutesOptions {
  readonly ids: CommandIds;
  readonly waiters: Waiters;
  readonly outcomes: Outcomes;
  /** The schemas of results. */
  readonly results: readonly JsonSchema[];
  readonly now: Now;
}

const commandParameter = (input: Input): string => String(input.params.command);

export function commandEndpoints({
  ids,
  waiters,
  outcomes,
  results,
  now,
}: CommandRoutesOptions): Endpoint[] {
  /** Returns the command's id when it was made here, has not expired, and the caller may see it. */
  const visible = async (
    input: Input,
  ): Promise<{ commandId: string; known: KnownId; outcome: Outcome | undefined }> => {
    const commandId = commandParameter(input);
    const known = ids.read(commandId, now().getTime());
    // A retry of its key may have been promised the answer a moment ago.
    const gone = !known || (known.expired && !(await isKept(commandId, now())));
    if (
      gone ||
      !(input.actor.isAdmin || known.isOwnedBy(input.actor.userId) || known.isOwnedBy(null))
    ) {
      throw new Problem('COMMAND_NOT_FOUND', 'You have sent no such command in the last 24 hours.');
    }
    const [outcome] = await outcomes.find([commandId]);
    return { commandId, known, outcome };
  };

  /**
   * Returns the outcome, and waits for it. It reads once more after it began to wait, because the
   * outcome may have come in between.
   */
  const outcomeWithin = async (commandId: string, waitMs: number): Promise<Outcome | undefined> => {
    const waiter = waiters.wait(commandId, waitMs);
    try {
      const [stored] = await outcomes.find([commandId]);
      return stored ?? (await waiter.outcome) ?? undefined;
    } finally {
      waiter.cancel();
    }
  };

  const status: Endpoint = {
    method: 'get',
    path: '/api/commands/:command',
    who: 'public',
    kind: 'read',
    query: Joi.object({ wait: queryInteger({ min: 0, max: WAIT_S_MAX }) }),
    doc: {
      id: 'getCommand',
      tag: 'Commands',
      summary: 'The state of a command',
      description:
        'For its sender and administrators. `wait` is how long to wait for its end, seconds. A command is kept for 24 hours after its last 202.',
      answers: shown(commandState(results)),
      problems: ['COMMAND_NOT_FOUND'],
      params: { command: text },
    },
    handle: async (input: Input<undefined, { wait?: number }>) => {
      const { commandId, known, outcome } = await visible(input);
      const ended =
        outcome ??
        (input.query.wait ? await outcomeWithin(commandId, input.query.wait * 1000) : undefined);
      return {
        status: 200,
        json: ended
          ? endedJson(ended)
          : queuedJson({ commandId, type: known.type, createdAt: known.createdAt }),
      };
    },
  };

  const events: Endpoint = {
    method: 'get',
    path: '/api/commands/:command/events',
    who: 'public',
    kind: 'stream',
    doc: {
      id: 'streamCommand',
      tag: 'Commands',
      summary: 'The state of a command, as server-sent events',
      description:
        "For its sender and administrators. The event `status` has the same data as the command's state; the stream ends after the final one.",
      answers: { 200: { description: 'The stream.', schema: text, type: 'text/event-stream' } },
      problems: ['COMMAND_NOT_FOUND'],
      params: { command: text },
    },
    stream: async (input, _request, response) => {
      const { commandId, known, outcome } = await visible(input);
      const events = startEventStream(response);
      if (!outcome)
        events.send(
          'status',
          queuedJson({ commandId, type: known.type, createdAt: known.createdAt }),
        );
      let ended = outcome;
      while (!ended && events.open) ended = await outcomeWithin(commandId, STREAM_WAIT_MS);
      if (ended && events.open) events.send('status', endedJson(ended));
      events.end();
    },
  };

  return [status, events];
}
