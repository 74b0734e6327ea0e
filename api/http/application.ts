import { parse } from 'node:querystring';
import cors from 'cors';
import express, { type Express, type RequestHandler } from 'express';
import type { Logger } from '../../shared/logger';
import type { Tracing } from '../../shared/tracing';
import { accessLog } from './access-log';
import { compressAll } from './responses/compress';
import { errorHandler, routeNotFound } from './responses/errors';
import { healthRoutes, type ReadyCheck } from './health';
import { mountEndpoints, type MountOptions } from './mount';
import { warnOfProxy } from './security/proxy-warning';
import { requestId } from './requests/request-id';
import { securityHeaders } from './security/security-headers';
import { traceRequests } from './requests/trace';

export interface ApplicationOptions extends MountOptions {
  readonly logger: Logger;
  readonly tracing: Tracing;
  readonly ready: ReadyCheck;
  /** Origins whose pages may call the API from a browser; none by default, `*` for all. */
  readonly corsOrigins?: readonly string[];
  /** Proxies in front of the API, whose `X-Forwarded-For` is believed; 0 by default. */
  readonly trustedProxies?: number;
  /** Whether `/metrics` is served here; true by default. */
  readonly metrics?: boolean;
  /** Handlers of what is not an endpoint, such as the pages and the API's description. */
  readonly pages?: readonly RequestHandler[];
}

/** How long a browser may remember what CORS allows, seconds. */
const CORS_KEPT_S = 600;

const EXPOSED_HEADERS = [
  'ETag',
  'Link',
  'Location',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Request-Id',
  'X-Total-Count',
];

function allowOrigins(origins: readonly string[]): RequestHandler {
  return cors({
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: CORS_KEPT_S,
  });
}

/** The whole HTTP side; everything behind it comes in as functions. */
export function createHttpApplication(options: ApplicationOptions): Express {
  const {
    logger,
    tracing,
    ready,
    corsOrigins = [],
    trustedProxies = 0,
    metrics = true,
    pages = [],
  } = options;
  const app = express();
  app
    .disable('x-powered-by')
    .disable('etag')
    .enable('strict routing')
    .enable('case sensitive routing');
  app.set('trust proxy', trustedProxies);
  // The parser that Express calls simple, without its silent limit: a parameter too many must be
  // named, not ignored.
  app.set('query parser', (query: string | null) => parse(query ?? '', '&', '=', { maxKeys: 0 }));
  app.use(requestId, securityHeaders());
  if (trustedProxies === 0) app.use(warnOfProxy(logger));
  if (corsOrigins.length > 0) app.use(allowOrigins(corsOrigins));
  app.use(healthRoutes(ready, metrics));
  app.use(accessLog(logger));
  if (tracing.isRecording) app.use(traceRequests(tracing));
  app.use(mountEndpoints(options));
  app.use(compressAll, ...pages, routeNotFound);
  app.use(errorHandler(logger));
  return app;
}
