import { createServer } from 'node:http';
import { register } from 'prom-client';
import { StartError } from '../shared/config';

/** Serves a worker's `/livez`, `/readyz` and `/metrics`; port 0 means none. `fault` says why the worker is not ready. */
export async function serveHealth(port: number, fault: () => string | null): Promise<{ close(): Promise<void> }> {
  if (port === 0) return { close: () => Promise.resolve() };
  const server = createServer((request, response) => {
    const answer = (status: number, body: string, type = 'text/plain') => response.writeHead(status, { 'content-type': type }).end(body);
    const answerReadiness = (reason: string | null) => (reason === null ? answer(200, 'ready\n') : answer(503, `not ready: ${reason}\n`));
    if (request.url === '/livez') answer(200, 'ok\n');
    else if (request.url === '/readyz') answerReadiness(fault());
    else if (request.url === '/metrics') void register.metrics().then((text) => answer(200, text, register.contentType));
    else answer(404, 'not found\n');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: Error) => {
      reject(new StartError(`The worker's health cannot be served on port ${port} (WORKER_METRICS_PORT): ${error.message}`));
    });
    server.listen(port, resolve);
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
