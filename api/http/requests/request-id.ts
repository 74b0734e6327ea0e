import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import { contextOf } from '../request-context';

const ACCEPTABLE = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Gives every request an id, the client's own when it is fit for a log line, and answers with it.
 */
export function requestId(request: Request, response: Response, next: NextFunction): void {
  const given = request.headers['x-request-id'];
  const id = typeof given === 'string' && ACCEPTABLE.test(given) ? given : randomUUID();
  contextOf(response).requestId = id;
  response.setHeader('X-Request-Id', id);
  next();
}
