import { NoAnswer } from './errors.ts';
import { domainEvents, type EventsOptions } from './events.ts';
import { problemIn } from './refusal.ts';
import { Requests, urlOf, valueIn, type ClientOptions, type Parts } from './requests.ts';
import { valueOf } from './result.ts';
import { messagesOf, type StreamMessage, type StreamOptions } from './stream.ts';
import type { Method } from './transport.ts';
import type {
  DomainEvent,
  ItemOf,
  ListPath,
  Operation,
  PathsWith,
  ProblemOf,
  RequestOptions,
  Result,
  ValueOf,
} from './types.ts';

/** Every operation of the document, by its method and path. */

/** The largest size that all lists take. */
const PAGE_SIZE = 100;

export class Caller {
  private readonly requests: Requests;

  constructor(protected readonly options: ClientOptions) {
    this.requests = new Requests(options);
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
    const answer = await this.requests.send(method, path, options);
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
    return messagesOf(this.requests.transport, urlOf(path, options), options);
  }
}
