import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { percentile } from './load';
import { countedByStatus, statusOf, type Sent, type Statuses } from './send';

/**
 * Load that comes at a fixed rate, whether answers come or not, as from many people who know nothing of each other. Times count from
 * the moment at which a request was due, so that none is hidden by a generator that waits. Libraries for load wait for an answer before they
 * send the next request, and so cannot offer more than a service takes.
 */

/**
 * Connections, all there before the load begins: people keep theirs, or a proxy does, and Node takes new ones one in each turn of its event loop. A request that
 * finds all of them busy waits, and its time counts.
 */
const CONNECTIONS = 4096;
const KEPT_MS = 60_000;
/** How often requests are sent that have become due, milliseconds. */
const TICK_MS = 5;

export interface OpenLoad {
  /** Requests a second. */
  readonly arrivals: number;
  readonly seconds: number;
}

export interface OpenServed {
  /** Successes within the time of the load, a second. */
  readonly rate: number;
  /** Time until a success, milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Time until an answer that the service is too busy, milliseconds. */
  readonly refusedP50: number;
  readonly refusedP99: number;
  /** All answers. */
  readonly statuses: Statuses;
  /** Requests that got no answer. */
  readonly lost: number;
}

/** Sends the requests at the rate, over and over, waits for the last answer, and tells what came back. */
export async function putOpenLoad(url: string, { arrivals, seconds }: OpenLoad, requests: readonly Sent[]): Promise<OpenServed> {
  const pool = new Pool(url, { connections: CONNECTIONS, keepAliveTimeout: KEPT_MS });
  await Promise.all(Array.from({ length: CONNECTIONS }, () => statusOf(pool, { method: 'GET', path: '/livez' })));
  const answers: { readonly status: number; readonly ms: number; readonly at: number }[] = [];
  let lost = 0;
  const start = performance.now();
  const under: Promise<void>[] = [];
  for (let sent = 0; sent < arrivals * seconds; ) {
    const due = Math.min(arrivals * seconds, ((performance.now() - start) / 1000) * arrivals);
    for (; sent < due; sent += 1) {
      const dueAt = start + (1000 * sent) / arrivals;
      under.push(
        statusOf(pool, requests[sent % requests.length] as Sent).then(
          (status) => void answers.push({ status, ms: performance.now() - dueAt, at: performance.now() - start }),
          () => void (lost += 1),
        ),
      );
    }
    await pause(TICK_MS);
  }
  await Promise.all(under);
  await pool.close();
  const times = (of: (status: number) => boolean) => answers.filter(({ status }) => of(status)).map(({ ms }) => ms);
  const good = times((status) => status >= 200 && status < 300);
  const refused = times((status) => status === 503);
  const inTime = answers.filter(({ status, at }) => status >= 200 && status < 300 && at <= 1000 * seconds).length;
  return {
    rate: inTime / seconds,
    p50: percentile(good, 0.5),
    p99: percentile(good, 0.99),
    refusedP50: percentile(refused, 0.5),
    refusedP99: percentile(refused, 0.99),
    statuses: countedByStatus(answers.map(({ status }) => status)),
    lost,
  };
}
