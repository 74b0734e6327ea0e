import type { Response } from 'express';
import type { Actor } from '../../shared/command';

/** What a token says of itself. */
export interface TokenFacts {
  /** Its `jti`, or a hash of a token that has none. */
  readonly id: string;
  /** Its account's generation; null when it came from no sign-in here. */
  readonly generation: number | null;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

/**
 * What is known of a request so far. It hangs on the response, so that log lines and problems can
 * name it at any time.
 */
export interface RequestContext {
  requestId: string;
  /** Path pattern of the endpoint that took the request; absent when none did. */
  route?: string;
  /** What the request counts as where requests are limited. */
  countsAs?: 'reads' | 'writes' | 'signIns';
  actor?: Actor;
  /** The good token that it brought. */
  token?: TokenFacts;
  /** The password of its account was made for it, and has to be changed first. */
  mustChangePassword?: boolean;
  /** Set by whoever makes a command of the request. */
  commandId?: string;
  /** Trace context of the request's span; absent when no traces are made. */
  traceparent?: string;
}

export function contextOf(response: Response): RequestContext {
  return response.locals as RequestContext;
}
