import type { RequestHandler } from 'express';
import type { Logger } from '../../../shared/logger';

/**
 * Warns once when a proxy seems to be in front that is not trusted: all its clients then count as
 * one address, and share its limits. For an API without trusted proxies.
 */
export function warnOfProxy(logger: Logger): RequestHandler {
  let told = false;
  return (request, _response, next) => {
    if (!told && request.headers['x-forwarded-for'] !== undefined) {
      told = true;
      logger.warn(
        'request with X-Forwarded-For, but no trusted proxy: behind a proxy set TRUSTED_PROXIES, or all clients share the limits of one address',
      );
    }
    next();
  };
}
