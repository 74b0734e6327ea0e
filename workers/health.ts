import { serveMetrics } from '../shared/metrics-server';

export interface HealthOptions {
  readonly host: string;
  /** 0 = off. */
  readonly port: number;
  /** Why the worker is not ready; null when it is. */
  readonly fault: () => string | null;
}

/** Serves a worker's `/livez`, `/readyz` and `/metrics`. */
export async function serveHealth({
  host,
  port,
  fault,
}: HealthOptions): Promise<{ close(): Promise<void> }> {
  if (port === 0) return { close: () => Promise.resolve() };
  return serveMetrics({
    host,
    port,
    variables: 'WORKER_METRICS_HOST, WORKER_METRICS_PORT',
    more: {
      '/livez': () => [200, 'ok\n'],
      '/readyz': () => {
        const reason = fault();
        return reason === null ? [200, 'ready\n'] : [503, `not ready: ${reason}\n`];
      },
    },
  });
}
