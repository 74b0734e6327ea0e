import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * Helmet's headers. They are the same for every response, so helmet is asked once, at start, for a
 * response that is never sent; composing them anew costs as much as routing does.
 */
export function securityHeaders(): RequestHandler {
  const request = new IncomingMessage(new Socket());
  const sample = new ServerResponse(request);
  // The pages are served over plain HTTP too, where upgrading their own requests would break them.
  helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } })(
    request,
    sample,
    () => undefined,
  );
  const headers = Object.entries(sample.getHeaders()).map(
    ([name, value]) => [name, String(value)] as const,
  );
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}
