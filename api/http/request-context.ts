import type { Response } from 'express';
import type { Actor } from '../../shared/command';
import type { TraceContext } from '../../shared/tracing';

/** The claims of a token. */
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
  /** Its valid token. */
  token?: TokenFacts;
  /** The password of its account was made for it, and has to be changed first. */
  mustChangePassword?: boolean;
  /**
   * Checks token and right once more, for a stream that outlives the first check; throws the
   * refusal. Absent when no token was needed.
   */
  checkAgain?: () => Promise<void>;
  /** Set when the request becomes a command. */
  commandId?: string;
  /** Of the request's span; absent when no traces are made. */
  trace?: TraceContext;
}

export function contextOf(response: Response): RequestContext {
  return response.locals as RequestContext;
}
