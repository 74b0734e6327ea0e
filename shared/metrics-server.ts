import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { register } from 'prom-client';
import { StartError } from './config';

/** Status and text of an answer. */
export type PlainAnswer = readonly [status: number, text: string];

export interface MetricsServerOptions {
  readonly host: string;
  readonly port: number;
  /** Names of the variables to correct when it cannot listen. */
  readonly variables: string;
  /** Answers at other paths. */
  readonly more?: Readonly<Record<string, () => PlainAnswer>>;
}

export interface MetricsServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves `/metrics` at an address apart from the API's.
 * @throws StartError when it cannot listen there.
 */
export async function serveMetrics({
  host,
  port,
  variables,
  more = {},
}: MetricsServerOptions): Promise<MetricsServer> {
  const others = new Map(Object.entries(more));
  const server = createServer((request, response) => {
    const answer = (status: number, body: string, type = 'text/plain') =>
      response.writeHead(status, { 'content-type': type }).end(body);
    const path = request.url ?? '';
    if (path === '/metrics')
      void register.metrics().then((text) => answer(200, text, register.contentType));
    else answer(...(others.get(path)?.() ?? ([404, 'not found\n'] as const)));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: Error) => {
      reject(
        new StartError(
          `Metrics cannot be served on ${host}, port ${port} (${variables}): ${error.message}`,
        ),
      );
    });
    server.listen({ host, port }, resolve);
  });
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
