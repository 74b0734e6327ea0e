import { createServer } from 'node:http';
import { register } from 'prom-client';
import { StartError } from '../shared/config';

/** A worker's `/livez`, `/readyz` and `/metrics`. Port 0 means none. */
export async function serveHealth(port: number, ready: () => boolean): Promise<{ close(): Promise<void> }> {
  if (port === 0) return { close: () => Promise.resolve() };
  const server = createServer((request, response) => {
    const answer = (status: number, body: string, type = 'text/plain') => response.writeHead(status, { 'content-type': type }).end(body);
    if (request.url === '/livez') answer(200, 'ok\n');
    else if (request.url === '/readyz') answer(ready() ? 200 : 503, ready() ? 'ready\n' : 'not ready\n');
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
