import type { RequestHandler } from 'express';
import type { Logger } from '../../shared/logger';

/**
 * Tells the operator, once, when a proxy seems to stand in front that is not trusted: then all its
 * clients are one address, and share its limits. For an API without trusted proxies.
 */
export function warnOfProxy(logger: Logger): RequestHandler {
  let told = false;
  return (request, _response, next) => {
    if (!told && request.headers['x-forwarded-for'] !== undefined) {
      told = true;
      logger.warn(
        'a request has X-Forwarded-For, and no proxy is trusted: where one stands in front, set TRUSTED_PROXIES, or its clients share the limits of one address',
      );
    }
    next();
  };
}
