import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { Logger } from '../../../shared/logger';
import { AcceptanceUnknown, NotAccepted } from '../../../shared/messaging/transport';
import {
  DatabaseUnavailable,
  isDatabaseUnavailable,
  isDatabaseFault,
  tookTooLong,
} from '../../database/unavailable';
import { Problem, sendProblem } from './problem';
import { statusOf } from './problem-kinds';
import { contextOf } from '../request-context';

/** Turns an error into a problem. An unexpected error reveals nothing internal. */
export function problemOf(error: unknown, commandId: string | undefined): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof NotAccepted) {
    const headers: Record<string, string> =
      error.retryAfterS === null ? {} : { 'Retry-After': String(error.retryAfterS) };
    return new Problem(
      'UNAVAILABLE',
      'The command was not accepted. You can safely send it again.',
      { cause: error, headers },
    );
  }
  if (error instanceof AcceptanceUnknown) {
    const detail =
      'The command may have been accepted. Ask for it by commandId, or send it again with the same Idempotency-Key.';
    return new Problem('ACCEPTANCE_UNKNOWN', detail, {
      cause: error,
      extras: commandId ? { commandId } : {},
    });
  }
  if (isDatabaseUnavailable(error)) {
    return new Problem(
      'UNAVAILABLE',
      'The database is unavailable. Nothing was changed. Try again later.',
      { cause: error },
    );
  }
  if (isDatabaseFault(error)) {
    return new Problem(
      'UNAVAILABLE',
      'The database cannot do this at the moment. Nothing was changed. Try again later.',
      { cause: error },
    );
  }
  if (tookTooLong(error))
    return new Problem(
      'UNAVAILABLE',
      'The database took too long. Nothing was changed. Ask for less, or try again.',
      { cause: error },
    );
  return new Problem(
    'INTERNAL',
    'Something went wrong in the service. Report it with the request id.',
    { cause: error },
  );
}

export const routeNotFound: RequestHandler = () => {
  throw new Problem('ROUTE_NOT_FOUND', 'There is nothing at this path.');
};

/**
 * Said once by whoever began to refuse, and not again for each of the many requests that it then
 * refuses.
 */
const isKnownOutage = (error: unknown): boolean =>
  error instanceof NotAccepted || error instanceof DatabaseUnavailable;

/**
 * The last handler: turns whatever was thrown into a problem. Refusals and bad requests are not
 * logged as errors.
 */
export function errorHandler(logger: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const { requestId, route, commandId } = contextOf(response);
    const problem = problemOf(error, commandId);
    const status = statusOf(problem.code);
    if (status >= 500 && !isKnownOutage(error)) {
      const level = status === 503 ? 'warn' : 'error';
      logger[level](
        { err: problem.cause ?? problem, requestId, route, commandId, code: problem.code },
        'request failed',
      );
    }
    if (response.headersSent) {
      // The answer has begun and cannot be taken back: Express ends the connection, so that it does
      // not look complete.
      next(error);
      return;
    }
    sendProblem(request, response, problem);
  };
}
