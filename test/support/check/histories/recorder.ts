import { randomInt, randomUUID } from 'node:crypto';
import { type Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { HistoryEvent, Operation, Result } from './history';

/**
 * Sends each operation once and records what is known of it. Another client may send a request
 * again until it is answered; this one must not, or the history would not say when the effect was
 * possible.
 */

/** How long a promised operation is followed, milliseconds; then its outcome counts as unknown. */
const FOLLOWED_MS = 60_000;
const RETRY_PAUSE_MS = 50;
/** The fields of an answer that the specification knows. */
const FIELDS = ['code', 'borrowId', 'totalStock', 'availableStock', 'addedCount', 'position'];
/** How the request ids of recorded operations begin. */
export const RECORDED = 'history-';
/** Nothing listens at the address, so nobody got the request. */
const NOBODY_THERE = 'ECONNREFUSED';

type Body = Readonly<Record<string, unknown>>;

interface Answer {
  readonly status: number;
  readonly body: Body;
}

const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export interface RecorderOptions {
  readonly history: string;
  readonly bookInfoId: number;
  /** Addresses to call. */
  readonly urls: readonly string[];
  /** The token of each user, and of the administrator, who adds copies. */
  readonly token: (user: number) => string;
  readonly admin: string;
  readonly agent: Agent;
}

/** How an operation ended: history.ts has the words. */
export type Ending = Exclude<HistoryEvent['type'], 'invoke'>;

/** The history of one title, as its clients make it. */
export class Recorder {
  readonly events: HistoryEvent[] = [];
  /** Answers that nobody should have got. */
  readonly violations: string[] = [];
  private operations = 0;

  constructor(private readonly options: RecorderOptions) {}

  /** Resolves when the operation has ended, or when nobody can know any more how. */
  async carryOut(operation: Operation): Promise<Ending> {
    this.operations += 1;
    const id = this.operations;
    this.record(id, 'invoke', operation);
    const answer = await this.send(operation);
    const end = answer === 'refused' ? 'fail' : answer === 'unknown' ? 'info' : 'ok';
    this.record(id, end, typeof answer === 'string' ? null : resultOf(answer));
    return end;
  }

  private record(
    operation: number,
    type: HistoryEvent['type'],
    value: Operation | Result | null,
  ): void {
    this.events.push({
      history: this.options.history,
      operation,
      type,
      time: Math.round(performance.now() * 1000),
      value,
    });
  }

  private async send(operation: Operation): Promise<Answer | 'refused' | 'unknown'> {
    const { method, path, body } = this.requestOf(operation);
    const token = operation.f === 'add' ? this.options.admin : this.options.token(operation.user);
    try {
      const answer = await this.call(method, path, token, body);
      if (answer.status === 202) return await this.follow(String(answer.body['statusUrl']), token);
      // On a busy machine it was sent too slowly, and nobody has read it.
      if (answer.status === 408) return 'refused';
      if (answer.status < 500) return answer;
      const { code } = answer.body;
      if (code !== 'UNAVAILABLE' && code !== 'ACCEPTANCE_UNKNOWN')
        this.violations.push(`${method} ${path}: ${answer.status} ${String(code)}`);
      return code === 'UNAVAILABLE' ? 'refused' : 'unknown';
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === NOBODY_THERE ? 'refused' : 'unknown';
    }
  }

  private requestOf({ f, copies }: Operation): {
    readonly method: string;
    readonly path: string;
    readonly body?: object;
  } {
    const { bookInfoId } = this.options;
    const title = `/api/book-infos/${bookInfoId}`;
    switch (f) {
      case 'read':
        return { method: 'GET', path: title };
      case 'borrow':
        return { method: 'POST', path: '/api/borrows', body: { bookInfoId } };
      case 'return':
        return { method: 'POST', path: '/api/returns', body: { bookInfoId } };
      case 'hold':
        return { method: 'POST', path: `${title}/holds` };
      case 'add':
        return { method: 'POST', path: `${title}/books`, body: { count: copies } };
    }
  }

  /**
   * Asks for the outcome of a promised operation, which changes nothing, so it may be asked for
   * often.
   */
  private async follow(statusUrl: string, token: string): Promise<Answer | 'unknown'> {
    const deadline = performance.now() + FOLLOWED_MS;
    while (performance.now() < deadline) {
      const { body } = await this.call('GET', `${statusUrl}?wait=5`, token).catch((): Answer => ({
        status: 0,
        body: {},
      }));
      const { status, httpStatus, result, problem } = body;
      if (status === 'succeeded' || status === 'failed')
        return { status: Number(httpStatus), body: (result ?? problem ?? {}) as Body };
      await delay(RETRY_PAUSE_MS);
    }
    return 'unknown';
  }

  /** Node's own client, which never sends a request twice. */
  private call(method: string, path: string, token: string, body?: object): Promise<Answer> {
    const { urls } = this.options;
    const url = urls[randomInt(urls.length)] ?? '';
    const text = body && JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${token}`,
      'x-request-id': `${RECORDED}${randomUUID()}`,
      ...(text && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      }),
    };
    return new Promise((resolve, reject) => {
      const sent = request(
        `${url}${path}`,
        { method, headers, agent: this.options.agent },
        (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('error', reject);
          response.on('end', () => {
            const json = Buffer.concat(parts).toString();
            resolve({
              status: response.statusCode ?? 0,
              body: json === '' ? {} : (JSON.parse(json) as Body),
            });
          });
        },
      );
      sent.on('error', reject);
      sent.end(text);
    });
  }
}

function resultOf({ status, body }: Answer): Result {
  const known = FIELDS.flatMap((name) =>
    typeof body[name] === 'number' || typeof body[name] === 'string'
      ? [[name, body[name]] as const]
      : [],
  );
  return { status, ...Object.fromEntries(known) };
}
