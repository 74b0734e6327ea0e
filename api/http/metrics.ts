import { Histogram } from 'prom-client';

/** Upper bounds in seconds; a write may wait up to 30 s for its answer. */
const BUCKETS_S = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const duration = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time from the arrival of a request to the end of its answer, by method, path pattern and status',
  labelNames: ['method', 'route', 'status'],
  buckets: BUCKETS_S,
});

/** Node takes requests of some thirty methods; each would make its own time series. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS']);

/** `route` is the path pattern, never the path: the number of time series must stay bounded. */
export function observeRequest(method: string, route: string | undefined, status: number, seconds: number): void {
  duration.observe({ method: METHODS.has(method) ? method : 'other', route: route ?? 'none', status }, seconds);
}
