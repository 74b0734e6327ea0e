import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { percentile, type Sent, type Served } from './load';

/**
 * Load that comes at a fixed rate, whether answers come or not, as from many people who know nothing of each other. Times count from
 * the moment at which a request was due, so that none is hidden by a generator that waits. Libraries for load wait for an answer before they
 * send the next request, and so cannot offer more than a service takes.
 */

/** How often requests are sent that have become due, milliseconds. */
const TICK_MS = 5;
/** Longest wait for an answer, milliseconds. */
const TIMEOUT_MS = 30_000;

export interface OpenLoad {
  /** Requests a second. */
  readonly arrivals: number;
  readonly seconds: number;
}

export interface OpenServed extends Served {
  /** Time until an answer that the service is too busy, milliseconds. */
  readonly refusedP50: number;
  readonly refusedP99: number;
}

/** The status of the answer; rejects when there is none in time. */
function statusOf(agent: Agent, url: string, { method, path, token, body }: Sent): Promise<number> {
  const text = JSON.stringify(body);
  const headers = { authorization: `Bearer ${token ?? ''}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, agent, headers, timeout: TIMEOUT_MS }, (answer) => {
      answer.resume().once('end', () => {
        resolve(answer.statusCode ?? 0);
      });
    });
    sent.once('timeout', () => sent.destroy(new Error('no answer in time'))).once('error', reject);
    sent.end(text);
  });
}

/** Sends requests at the rate, waits for the last answer, and tells what came back. `rate` counts the successes within the time of the load. */
export async function putOpenLoad(url: string, { arrivals, seconds }: OpenLoad, next: () => Sent): Promise<OpenServed> {
  const agent = new Agent({ keepAlive: true });
  const answers: { readonly status: number; readonly ms: number; readonly at: number }[] = [];
  let errors = 0;
  const start = performance.now();
  const under: Promise<void>[] = [];
  for (let sent = 0; sent < arrivals * seconds; ) {
    const due = Math.min(arrivals * seconds, ((performance.now() - start) / 1000) * arrivals);
    for (; sent < due; sent += 1) {
      const dueAt = start + (1000 * sent) / arrivals;
      under.push(
        statusOf(agent, url, next()).then(
          (status) => void answers.push({ status, ms: performance.now() - dueAt, at: performance.now() - start }),
          () => void (errors += 1),
        ),
      );
    }
    await pause(TICK_MS);
  }
  await Promise.all(under);
  agent.destroy();
  const times = (of: (status: number) => boolean) => answers.filter(({ status }) => of(status)).map(({ ms }) => ms);
  const good = times((status) => status >= 200 && status < 300);
  const refused = times((status) => status === 503);
  const statuses: Record<string, number> = {};
  for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
  const inTime = answers.filter(({ status, at }) => status >= 200 && status < 300 && at <= 1000 * seconds).length;
  return {
    rate: inTime / seconds,
    succeeded: good.length,
    p50: percentile(good, 0.5),
    p99: percentile(good, 0.99),
    refusedP50: percentile(refused, 0.5),
    refusedP99: percentile(refused, 0.99),
    statuses,
    errors,
  };
}
