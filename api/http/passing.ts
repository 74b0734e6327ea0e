import type { Request, Response } from 'express';

type Middleware = (
  request: Request,
  response: Response,
  next: (error?: unknown) => void,
) => unknown;

/**
 * Runs a library's middleware in the middle of our own code: resolves when it passes the request
 * on, and rejects with what `problemOf` makes of the error that it passes on instead.
 */
export function passing(
  middleware: Middleware,
  request: Request,
  response: Response,
  problemOf: (error: unknown) => Error,
): Promise<void> {
  return new Promise((resolve, reject) => {
    void middleware(request, response, (error?: unknown) => {
      if (error) reject(problemOf(error));
      else resolve();
    });
  });
}
