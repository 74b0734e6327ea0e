import { Counter, Gauge, Histogram } from 'prom-client';

/**
 * What an API process measures, for Prometheus. Labels have few values, all known beforehand: each
 * makes a time series.
 */

/** Upper bounds in seconds; a write may wait up to 30 s for its answer. */
const BUCKETS_S = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const requests = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time from the arrival of a request to the end of its answer, by method, path pattern and status',
  labelNames: ['method', 'route', 'status'],
  buckets: BUCKETS_S,
});

/** Node takes requests of some thirty methods; each would make its own time series. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS']);

/** `route` is the path pattern, never the path: the number of time series must stay bounded. */
export function observeRequest(
  method: string,
  route: string | undefined,
  status: number,
  seconds: number,
): void {
  requests.observe(
    { method: METHODS.has(method) ? method : 'other', route: route ?? 'none', status },
    seconds,
  );
}

/**
 * `ended`: `answered`, `promised` (202), or `failed` when the command was not accepted, or perhaps
 * not.
 */
export const commandWait = new Histogram({
  name: 'lendline_command_wait_seconds',
  help: 'Time from the publishing of a command to its outcome, or to the end of the wait for it, by type',
  labelNames: ['type', 'ended'] as const,
  buckets: BUCKETS_S,
});

export const publishConfirm = new Histogram({
  name: 'lendline_publish_confirm_seconds',
  help: 'Time from the publishing of a command to the confirm of the broker',
  buckets: BUCKETS_S,
});

export const commandsUnderWay = new Gauge({
  name: 'lendline_commands_under_way',
  help: 'Commands sent by this process that have not ended',
});

export const commandsRefused = new Counter({
  name: 'lendline_commands_refused_total',
  help: 'Commands refused with 503 because too many are under way, by partition',
  labelNames: ['partition'] as const,
});

export const connectionsRefused = new Counter({
  name: 'lendline_connections_refused_total',
  help: 'Connections closed at once because too many are open, by the setting of the limit',
  labelNames: ['limit'] as const,
});

export const commandTimelinesDropped = new Counter({
  name: 'lendline_command_timelines_dropped_total',
  help: 'Commands of which the console does not know when they were confirmed and answered, because that was not written',
});

/**
 * `result`: `hit`, `miss`, `joined` (another request was loading the same), `unavailable` (there
 * was no cache).
 */
export const cacheReads = new Counter({
  name: 'lendline_cache_reads_total',
  help: 'Reads through the cache, by result',
  labelNames: ['result'] as const,
});

export const breakerOpen = new Gauge({
  name: 'lendline_database_breaker_open',
  help: '1 while queries fail at once because the database is unavailable',
});
