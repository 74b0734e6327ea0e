import { rateLimit } from 'express-rate-limit';
import type { AuditTrail } from '../audit/trail';
import type { Authenticate } from './authenticate';
import { clientOf } from './client';
import { createCounts, type CountsOptions } from './counts';
import { passing } from './passing';
import { Problem } from './problem';
import { contextOf } from './request-context';

/** How long requests are counted together, milliseconds. */
const WINDOW_MS = 60_000;

export interface RateLimitOptions extends CountsOptions {
  /** Most requests of one client in a minute; 0 = no limit. */
  readonly perMinute: number;
  readonly trail: Pick<AuditTrail, 'record'>;
}

/** Told to who has done something too often. `until`: when it can be done again. */
export function tooMany(until: Date): Problem {
  const waitS = Math.max(1, Math.ceil((until.getTime() - Date.now()) / 1000));
  return new Problem('RATE_LIMITED', `Too many tries; try again in ${waitS} s.`, { headers: { 'Retry-After': String(waitS) } });
}

/**
 * Counts requests as soon as it is known whose they are: by user, or by address for those who bring no token, or none that is
 * good. Answers tell with `RateLimit` how many are left. Health checks, metrics and the files of the pages are not counted.
 */
export function limitRate(authenticate: Authenticate, { perMinute, trail, ...options }: RateLimitOptions): Authenticate {
  if (perMinute === 0) return authenticate;
  const counts = createCounts('http:requests:', WINDOW_MS, options);
  const count = rateLimit({
    windowMs: WINDOW_MS,
    limit: perMinute,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    identifier: 'client',
    store: counts,
    keyGenerator: ({ ip: address = '' }, response) => clientOf({ actor: contextOf(response).actor, address }),
    handler: (request, response, next) => {
      const { actor, requestId } = contextOf(response);
      const signedIn = actor?.userId ? actor : null;
      trail.record({ action: 'http.rate-limited', actor: signedIn, target: null, address: request.ip ?? '', requestId });
      next(tooMany((request as unknown as { readonly rateLimit: { readonly resetTime: Date } }).rateLimit.resetTime));
    },
  });
  return async (request, response) => {
    let refused: unknown;
    const actor = await authenticate(request, response).catch((error: unknown) => {
      refused = error;
      return null;
    });
    if (actor) contextOf(response).actor = actor;
    await passing(count, request, response, (error) => error as Error);
    if (!actor) throw refused;
    return actor;
  };
}
