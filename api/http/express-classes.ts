import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

/**
 * Node's classes of requests and responses with what an Express application adds to them, for Node
 * to make them of.
 *
 * Express puts its own prototype into each request and response that it is given, unless it is
 * there already. An object whose prototype was changed gets a hidden class of its own from V8, so
 * that no inline cache knows it and each access to one of its properties, in Node's own code as
 * well, is a lookup: that made a request cost more than twice the time.
 */
export function expressClasses(app: Express): {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
} {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse<
    Request extends IncomingMessage = IncomingMessage,
  > extends ServerResponse<Request> {}
  app.request = Object.setPrototypeOf(ExpressRequest.prototype, app.request) as Express['request'];
  app.response = Object.setPrototypeOf(
    ExpressResponse.prototype,
    app.response,
  ) as Express['response'];
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}
