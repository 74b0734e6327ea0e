import express, { type RequestHandler } from 'express';
import { register } from 'prom-client';
import { sendAnswer } from './answer';
import { otherMethods } from './mount';
import { Problem } from './problem';

/** Whether this process can take work now. A rejection counts as no. */
export type ReadyCheck = () => Promise<boolean>;

/** How long a check may take, milliseconds; later it counts as failed. */
const READY_CHECK_TIMEOUT_MS = 2000;

const PATHS = ['/livez', '/readyz', '/metrics'];

async function within(check: ReadyCheck): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, READY_CHECK_TIMEOUT_MS, false);
  });
  try {
    return await Promise.race([check(), late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/** `/livez`, `/readyz` and `/metrics`, for machines: no token, and not in the access log. */
export function healthRoutes(ready: ReadyCheck): RequestHandler {
  const router = express.Router({ strict: true, caseSensitive: true });
  router.get('/livez', (request, response) => {
    sendAnswer(request, response, { status: 200, body: { status: 'ok' } });
  });
  router.get('/readyz', async (request, response) => {
    if (!(await within(ready))) throw new Problem('UNAVAILABLE', 'This process cannot take work now.');
    sendAnswer(request, response, { status: 200, body: { status: 'ready' } });
  });
  router.get('/metrics', async (request, response) => {
    sendAnswer(request, response, { status: 200, headers: { 'Content-Type': register.contentType }, json: await register.metrics() });
  });
  router.all(PATHS, otherMethods(['get']));
  return (request, response, next) => {
    // All other requests pass here too, and should not pay for three routes.
    if (PATHS.includes(request.path)) router(request, response, next);
    else next();
  };
}
