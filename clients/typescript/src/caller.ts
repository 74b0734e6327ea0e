import { NoAnswer, Unfinished } from './errors.js';
import { domainEvents, type EventsOptions } from './events.js';
import { messagesOf, type StreamMessage, type StreamOptions } from './stream.js';
import { valueOf } from './result.js';
import {
  problemIn,
  Transport,
  type RawAnswer,
  type RawRequest,
  type TransportOptions,
} from './transport.js';
import type {
  CallOptions,
  DomainEvent,
  ItemOf,
  ListPath,
  Method,
  Operation,
  PathsWith,
  ProblemOf,
  RequestOptions,
  Result,
  Schemas,
  ValueOf,
} from './types.js';

/** Every operation of the document, by its method and path. */

export interface ClientOptions extends TransportOptions {
  /** How long to follow a promised command, milliseconds. Default 60,000. */
  readonly followMs?: number | undefined;
}

const FOLLOW_MS = 60_000;
/** How long the service waits for the end of a command when it is asked, seconds. */
const POLL_S = 20;
const KEY_BYTES = 16;
/** The largest size that all lists take. */
const PAGE_SIZE = 100;

interface Parts extends CallOptions {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** `crypto.randomUUID` is missing where a page is served without TLS. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');

/** Path and query of a request. */
function urlOf(template: string, { path = {}, query = {} }: Parts): string {
  const filled = template.replace(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(String(path[name])),
  );
  const parameters = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => {
      const values = Array.isArray(value) ? (value as unknown[]) : [value];
      return `${name}=${values.map((one) => encodeURIComponent(String(one))).join(',')}`;
    });
  return parameters.length > 0 ? `${filled}?${parameters.join('&')}` : filled;
}

function rawRequest(method: Method, { body, idempotencyKey, ifMatch, wait }: Parts): RawRequest {
  return {
    method,
    headers: {
      Accept: 'application/json',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(method !== 'GET' && { 'Idempotency-Key': idempotencyKey ?? newKey() }),
      ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
      ...(wait !== undefined && { Prefer: `wait=${wait}` }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  };
}

function valueIn({ headers, text }: RawAnswer): unknown {
  if (text === '') return undefined;
  return headers.get('Content-Type')?.startsWith('application/json') ? JSON.parse(text) : text;
}

export class Caller {
  private readonly transport: Transport;

  constructor(protected readonly options: ClientOptions) {
    this.transport = new Transport(options);
  }

  /**
   * Sends a request, follows a promised command to its end, and returns the answer.
   * @throws NoAnswer, Unfinished, and the reason of the signal
   */
  async request<M extends Method, P extends PathsWith<M>>(
    method: M,
    path: P,
    ...[options]: object extends RequestOptions<Operation<M, P>>
      ? [options?: RequestOptions<Operation<M, P>>]
      : [options: RequestOptions<Operation<M, P>>]
  ): Promise<Result<ValueOf<Operation<M, P>>, ProblemOf<Operation<M, P>>>> {
    const answer = await this.finalAnswer(method, path, options ?? {});
    const { status, headers } = answer;
    if (status < 400)
      return { ok: true, value: valueIn(answer) as ValueOf<Operation<M, P>>, status, headers };
    const problem = problemIn(answer);
    if (problem === null) throw new NoAnswer(`${method} ${path} got ${status} without a problem.`);
    return { ok: false, problem: problem as ProblemOf<Operation<M, P>>, status, headers };
  }

  /** The items of a list, page after page. @throws Refusal, and what `request` throws */
  async *items<P extends ListPath>(
    path: P,
    options: RequestOptions<Operation<'GET', P>>,
  ): AsyncGenerator<ItemOf<ValueOf<Operation<'GET', P>>>, void, undefined> {
    const { query = {}, ...rest } = options as Parts;
    for (let page = Number(query['page'] ?? 1); ; page += 1) {
      const parts = { ...rest, query: { size: PAGE_SIZE, ...query, page } };
      const result = await this.request('GET', path, parts as never);
      const list: unknown = valueOf(result);
      type Item = ItemOf<ValueOf<Operation<'GET', P>>>;
      yield* (Array.isArray(list) ? list : (list as { items: Item[] }).items) as Item[];
      if (!result.headers.get('Link')?.includes('rel="next"')) return;
    }
  }

  /** Domain events, for administrators, as `EventsOptions` says. @throws Refusal, StreamReplaced */
  events(options: EventsOptions = {}): AsyncGenerator<DomainEvent, void, undefined> {
    return domainEvents(this, options);
  }

  /**
   * The messages of any stream of server-sent events. A stream that breaks is opened again, from
   * the last message on that had an id.
   * @throws Refusal, StreamReplaced, and the reason of the signal
   */
  stream(
    path: PathsWith<'GET'>,
    options: StreamOptions & Pick<Parts, 'path' | 'query'> = {},
  ): AsyncGenerator<StreamMessage, void, undefined> {
    return messagesOf(this.transport, urlOf(path, options), options);
  }

  private async finalAnswer(method: Method, path: string, parts: Parts): Promise<RawAnswer> {
    const { signal, followMs = this.options.followMs ?? FOLLOW_MS } = parts;
    const url = urlOf(path, parts);
    const request = rawRequest(method, parts);
    const endsAt = Date.now() + followMs;
    for (;;) {
      const answer = await this.transport.send(url, request, signal);
      if (answer.status !== 202) return answer;
      const promise = JSON.parse(answer.text) as Schemas['PromisedCommand'];
      const refused = await this.follow(promise, endsAt, signal);
      if (refused) return refused;
      // The same key gets the final answer as the first request would have: with all its headers,
      // and with what is never stored, such as a token.
    }
  }

  /**
   * Waits for the end of a promised command; returns the answer when it may not be asked for.
   * @throws Unfinished
   */
  private async follow(
    { commandId, statusUrl }: Schemas['PromisedCommand'],
    endsAt: number,
    signal?: AbortSignal,
  ): Promise<RawAnswer | null> {
    for (;;) {
      const leftS = Math.ceil((endsAt - Date.now()) / 1000);
      if (leftS <= 0) throw new Unfinished(commandId, statusUrl);
      const url = `${statusUrl}?wait=${Math.min(POLL_S, leftS)}`;
      const answer = await this.transport.send(url, rawRequest('GET', {}), signal);
      if (answer.status !== 200) return answer;
      if ((valueIn(answer) as Schemas['Command']).status !== 'queued') return null;
    }
  }
}
