import express, { type RequestHandler } from 'express';
import { register } from 'prom-client';
import type { JsonSchema } from '../openapi/schema';
import { sendAnswer } from './responses/answer';
import type { DocumentedRoute } from './endpoint';
import { otherMethods } from './mount';
import { Problem } from './responses/problem';

/** Why this process cannot take work now; null when it can. A rejection counts as a reason. */
export type ReadyCheck = () => Promise<string | null>;

/** How long a check may take, milliseconds; later it counts as failed. */
const READY_CHECK_TIMEOUT_MS = 2000;

const status = (value: string): JsonSchema => ({
  type: 'object',
  additionalProperties: false,
  required: ['status'],
  properties: { status: { type: 'string', const: value } },
});

const bare = { method: 'get', who: 'public', kind: 'bare' } as const;

const healthDocs: readonly DocumentedRoute[] = [
  {
    ...bare,
    path: '/livez',
    doc: {
      id: 'isAlive',
      tag: 'Service',
      summary: 'Whether the process is up',
      answers: { 200: { description: 'It is.', schema: status('ok') } },
    },
  },
  {
    ...bare,
    path: '/readyz',
    doc: {
      id: 'isReady',
      tag: 'Service',
      summary: 'Whether the process can take work',
      answers: { 200: { description: 'It can.', schema: status('ready') } },
      problems: ['UNAVAILABLE'],
    },
  },
];

const metricsDoc: DocumentedRoute = {
  ...bare,
  path: '/metrics',
  doc: {
    id: 'getMetrics',
    tag: 'Service',
    summary: 'Measurements for Prometheus',
    answers: {
      200: { description: 'In its text format.', schema: { type: 'string' }, type: 'text/plain' },
    },
  },
};

/** What is served here, for the document. `metrics`: whether `/metrics` is, too. */
export function machineRoutes(metrics: boolean): readonly DocumentedRoute[] {
  return metrics ? [...healthDocs, metricsDoc] : healthDocs;
}

async function reasonOf(check: ReadyCheck): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(
      resolve,
      READY_CHECK_TIMEOUT_MS,
      `The database did not answer within ${READY_CHECK_TIMEOUT_MS} ms.`,
    );
  });
  try {
    return await Promise.race([check(), late]);
  } catch {
    return 'The database cannot be reached.';
  } finally {
    clearTimeout(timer);
  }
}

/**
 * `/livez`, `/readyz` and perhaps `/metrics`, for machines: no token, and not in the access log.
 */
export function healthRoutes(ready: ReadyCheck, metrics: boolean): RequestHandler {
  const paths = machineRoutes(metrics).map(({ path }) => path);
  const router = express.Router({ strict: true, caseSensitive: true });
  router.get('/livez', (request, response) => {
    sendAnswer(request, response, { status: 200, body: { status: 'ok' } });
  });
  router.get('/readyz', async (request, response) => {
    const reason = await reasonOf(ready);
    if (reason !== null)
      throw new Problem('UNAVAILABLE', `This process cannot take work now. ${reason}`);
    sendAnswer(request, response, { status: 200, body: { status: 'ready' } });
  });
  router.get('/metrics', async (request, response) => {
    sendAnswer(request, response, {
      status: 200,
      headers: { 'Content-Type': register.contentType },
      json: await register.metrics(),
    });
  });
  router.all(paths, otherMethods(['get']));
  return (request, response, next) => {
    // All other requests pass here too, and should not pay for three routes.
    if (paths.includes(request.path)) router(request, response, next);
    else next();
  };
}
