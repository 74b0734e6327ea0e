import type { RequestHandler } from 'express';
import { traceContextIn, type Tracing } from '../../../shared/tracing';
import { contextOf } from '../request-context';

/** Methods that name spans. Others are `_OTHER`, so that clients cannot invent names. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Makes a span of each request, as part of the client's trace when it names one. Names and
 * attributes are those of OpenTelemetry's conventions for HTTP servers.
 */
export function traceRequests(tracing: Tracing): RequestHandler {
  return (request, response, next) => {
    const isKnown = METHODS.has(request.method);
    const name = isKnown ? request.method : 'HTTP';
    const span = tracing.start({
      name,
      kind: 'server',
      parent: traceContextIn((header) => request.get(header)),
      attributes: {
        'http.request.method': isKnown ? request.method : '_OTHER',
        ...(!isKnown && { 'http.request.method_original': request.method }),
        'url.scheme': request.protocol,
        'url.path': request.path,
        'network.protocol.version': request.httpVersion,
      },
    });
    const context = contextOf(response);
    context.trace = span.context;
    response.once('close', () => {
      const { requestId, route, commandId } = context;
      const { statusCode } = response;
      if (route) span.rename(`${name} ${route}`);
      span.end({
        attributes: {
          'http.response.status_code': statusCode,
          'lendline.request_id': requestId,
          ...(route && { 'http.route': route }),
          ...(commandId && { 'lendline.command_id': commandId }),
        },
        error:
          statusCode >= 500
            ? { type: String(statusCode), message: `answered ${statusCode}` }
            : null,
      });
    });
    next();
  };
}
