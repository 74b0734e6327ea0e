import type { RequestHandler } from 'express';
import type { Tracing } from '../../shared/tracing';
import { contextOf } from './request-context';

/** Makes a span of each request, as part of the client's trace when it names one. */
export function traceRequests(tracing: Tracing): RequestHandler {
  return (request, response, next) => {
    const { method } = request;
    const span = tracing.start({
      name: method,
      kind: 'server',
      parent: request.get('traceparent') ?? null,
      attributes: { 'http.request.method': method },
    });
    const context = contextOf(response);
    context.traceparent = span.traceparent;
    response.once('close', () => {
      const { requestId, route, commandId } = context;
      const { statusCode } = response;
      if (route) span.rename(`${method} ${route}`);
      span.end({
        attributes: {
          'http.response.status_code': statusCode,
          'lendline.request_id': requestId,
          ...(route && { 'http.route': route }),
          ...(commandId && { 'lendline.command_id': commandId }),
        },
        error: statusCode >= 500 ? `answered ${statusCode}` : null,
      });
    });
    next();
  };
}
