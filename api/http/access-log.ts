import { performance } from 'node:perf_hooks';
import type { RequestHandler } from 'express';
import type { Logger } from '../../shared/logger';
import { observeRequest } from '../metrics';
import { contextOf } from './request-context';

/**
 * One line and one measurement per request, when its answer has been sent or the client has gone.
 * The line has the path without its query, for a query is what somebody searched for; headers and
 * bodies never reach it.
 */
export function accessLog(logger: Logger): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    const { method, path } = request;
    response.once('close', () => {
      const ms = performance.now() - startedAt;
      const { requestId, route, actor, commandId } = contextOf(response);
      const status = response.statusCode;
      observeRequest(method, route, status, ms / 1000);
      if (!logger.isLevelEnabled('info')) return;
      const line = {
        method,
        path,
        status,
        ms: Math.round(ms * 10) / 10,
        requestId,
        userId: actor?.userId ?? null,
      };
      const aborted = response.writableFinished ? {} : { aborted: true };
      logger.info({ ...line, ...(commandId ? { commandId } : {}), ...aborted }, 'request');
    });
    next();
  };
}
