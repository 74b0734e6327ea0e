import autocannon from 'autocannon';

/** The load on a service: clients each of which sends the next request when it has the answer to the last. */

export interface Load {
  readonly clients: number;
  readonly seconds?: number;
  /** How many requests in all, instead of seconds. */
  readonly amount?: number;
}

export interface Sent {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly token?: string;
  readonly body?: unknown;
  /** The header of this name. */
  readonly prefer?: string;
}

/** Makes the requests of one client, which it sends in turn. */
export type Requests = () => (() => Sent)[];

export interface Served {
  /** Answers that were 2xx, a second. */
  readonly rate: number;
  readonly succeeded: number;
  /** Time until a 2xx answer, milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly errors: number;
}

/** Longest wait for an answer, seconds. */
const TIMEOUT_S = 30;

export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

function encoded({ method, path, token, body, prefer }: Sent): autocannon.Request {
  const headers = { ...(token && { authorization: `Bearer ${token}` }), ...(body !== undefined && { 'content-type': 'application/json' }), ...(prefer && { prefer }) };
  return { method, path, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
}

/** Puts the load on the service and tells what came back. */
export async function putLoad(url: string, { clients, seconds, amount }: Load, requests: Requests): Promise<Served> {
  const times = new Map<number, number[]>();
  let errors = 0;
  const options: autocannon.Options = {
    url,
    connections: clients,
    ...(seconds && { duration: seconds }),
    ...(amount && { amount }),
    timeout: TIMEOUT_S,
    setupClient: (client) => {
      client.setRequests(requests().map((next) => ({ setupRequest: () => encoded(next()) })));
    },
  };
  const { duration } = await new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon(options, (error: unknown, result) => {
      if (error instanceof Error) reject(error);
      else resolve(result);
    });
    instance.on('response', (_client, status, _bytes, ms) => {
      const known = times.get(status);
      if (known) known.push(ms);
      else times.set(status, [ms]);
    });
    instance.on('reqError', () => {
      errors += 1;
    });
  });
  const good = [...times].filter(([status]) => status >= 200 && status < 300).flatMap(([, list]) => list);
  return {
    rate: good.length / duration,
    succeeded: good.length,
    p50: percentile(good, 0.5),
    p99: percentile(good, 0.99),
    statuses: Object.fromEntries([...times].map(([status, list]) => [status, list.length])),
    errors,
  };
}
