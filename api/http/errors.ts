import type { ErrorRequestHandler, RequestHandler } from 'express';
import { BaseError, ConnectionAcquireTimeoutError, ConnectionError, TimeoutError } from 'sequelize';
import type { Logger } from '../../shared/logger';
import { AcceptanceUnknown, NotAccepted } from '../../shared/messaging/transport';
import { Problem, sendProblem, statusOf } from './problem';
import { contextOf } from './request-context';

/** What MySQL's driver and the operating system call a connection that broke under a query. */
const BROKEN_CONNECTION = new Set([
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'ER_SERVER_SHUTDOWN',
  'ER_CON_COUNT_ERROR',
]);

function isDatabaseAway(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof ConnectionAcquireTimeoutError || error instanceof TimeoutError) return true;
  const { original } = error as { original?: { code?: string } };
  return error instanceof BaseError && BROKEN_CONNECTION.has(original?.code ?? '');
}

/** The problem that a client is told of; what is not foreseen tells nothing of the inside. */
function problemOf(error: unknown, commandId: string | undefined): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof NotAccepted) {
    return new Problem('UNAVAILABLE', 'The command was not accepted. It is safe to send it again.', { cause: error });
  }
  if (error instanceof AcceptanceUnknown) {
    const detail = 'It is not known whether the command was accepted. Ask for it by its id, or send it again with the same Idempotency-Key.';
    return new Problem('ACCEPTANCE_UNKNOWN', detail, { cause: error, extras: commandId ? { commandId } : {} });
  }
  if (isDatabaseAway(error)) {
    return new Problem('UNAVAILABLE', 'The database cannot be reached now. Nothing was changed; try again.', { cause: error });
  }
  return new Problem('INTERNAL', 'Something went wrong here. Give the request id when you report it.', { cause: error });
}

export const routeNotFound: RequestHandler = () => {
  throw new Problem('ROUTE_NOT_FOUND', 'There is nothing at this path.');
};

/** The last handler: turns whatever was thrown into a problem. Refusals and bad requests are not logged as errors. */
export function errorHandler(logger: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const { requestId, route, commandId } = contextOf(response);
    const problem = problemOf(error, commandId);
    const status = statusOf(problem.code);
    if (status >= 500) {
      const level = status === 503 ? 'warn' : 'error';
      logger[level]({ err: problem.cause ?? problem, requestId, route, commandId, code: problem.code }, 'request failed');
    }
    if (response.headersSent) {
      // The answer has begun and cannot be taken back: Express ends the connection, so that it does not look complete.
      next(error);
      return;
    }
    sendProblem(request, response, problem);
  };
}
