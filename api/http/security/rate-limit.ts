import type { RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import type { AuditTrail } from '../../audit/trail';
import type { Actor } from '../../../shared/command';
import type { RateLimits } from '../../../shared/exposure';
import type { Authenticate } from './authenticate';
import { clientOf } from './client';
import { createCounts, type CountsOptions } from './counts';
import { passing } from '../passing';
import { Problem } from '../responses/problem';
import { contextOf } from '../request-context';

/** How long requests are counted together, milliseconds. */
const WINDOW_MS = 60_000;

export interface RateLimitOptions extends CountsOptions {
  readonly limits: RateLimits;
  readonly trail: Pick<AuditTrail, 'record'>;
}

/**
 * Makes the answer to a client that exceeded a limit. `until`: when it may try again; `policy`: its
 * name in `RateLimit-Policy`.
 */
export function tooMany(until: Date, policy?: string): Problem {
  const waitS = Math.max(1, Math.ceil((until.getTime() - Date.now()) / 1000));
  return new Problem('RATE_LIMITED', `Too many tries. Try again in ${waitS} s.`, {
    headers: { 'Retry-After': String(waitS) },
    ...(policy !== undefined && { extras: { 'violated-policies': [policy] } }),
  });
}

type Kind = keyof RateLimits;

/** Names of the policies in answers. */
const POLICIES: Readonly<Record<Kind, string>> = {
  reads: 'reads',
  writes: 'writes',
  signIns: 'sign-ins',
  anonymous: 'anonymous',
};

/**
 * A sign-in counts for its address, whatever token it brings: with many accounts a client would
 * otherwise get many limits.
 */
function clientFor(kind: Kind, address: string, actor: Actor | undefined): string {
  return clientOf({ actor: kind === 'signIns' ? undefined : actor, address });
}

function counter(
  kind: Kind,
  limit: number,
  { trail, ...options }: Omit<RateLimitOptions, 'limits'>,
): RequestHandler {
  return rateLimit({
    windowMs: WINDOW_MS,
    limit,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    identifier: POLICIES[kind],
    store: createCounts(`http:requests:${POLICIES[kind]}:`, WINDOW_MS, options),
    keyGenerator: ({ ip: address = '' }, response) =>
      clientFor(kind, address, contextOf(response).actor),
    handler: (request, response, next) => {
      const { actor, requestId } = contextOf(response);
      const signedIn = actor?.userId ? actor : null;
      trail.record({
        action: 'http.rate-limited',
        actor: signedIn,
        target: null,
        address: request.ip ?? '',
        requestId,
      });
      next(
        tooMany(
          (request as unknown as { readonly rateLimit: { readonly resetTime: Date } }).rateLimit
            .resetTime,
          POLICIES[kind],
        ),
      );
    },
  });
}

/**
 * Counts requests by user, or by address for those without a valid token. Reads, writes, sign-ins
 * and anonymous requests count apart, and `RateLimit` says how many are left. Health checks,
 * metrics and files of the pages are not counted.
 */
export function limitRate(
  authenticate: Authenticate,
  { limits, ...options }: RateLimitOptions,
): Authenticate {
  const limited = (Object.keys(limits) as Kind[]).filter((kind) => limits[kind] > 0);
  if (limited.length === 0) return authenticate;
  const counters = new Map(limited.map((kind) => [kind, counter(kind, limits[kind], options)]));
  return async (request, response) => {
    let refused: unknown;
    const actor = await authenticate(request, response).catch((error: unknown) => {
      refused = error;
      return null;
    });
    const context = contextOf(response);
    if (actor) context.actor = actor;
    const { countsAs = 'reads' } = context;
    const count = counters.get(countsAs !== 'signIns' && !actor?.userId ? 'anonymous' : countsAs);
    if (count) await passing(count, request, response, (error) => error as Error);
    if (!actor) throw refused;
    return actor;
  };
}
