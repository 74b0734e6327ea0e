import type { Response } from 'express';
import type { Actor } from '../../shared/command';

/** What is known of a request so far. It hangs on the response, so that log lines and problems can name it at any time. */
export interface RequestContext {
  requestId: string;
  /** Path pattern of the endpoint that took the request; absent when none did. */
  route?: string;
  actor?: Actor;
  /** Set by whoever makes a command of the request. */
  commandId?: string;
  /** Trace context of the request's span; absent when no traces are made. */
  traceparent?: string;
}

export function contextOf(response: Response): RequestContext {
  return response.locals as RequestContext;
}
