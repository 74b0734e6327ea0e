import type { Response } from 'express';
import { contextOf } from '../request-context';
import { Problem } from '../responses/problem';
import { statusOf } from '../responses/problem-kinds';

/** How often the reader of an open stream is checked again, milliseconds. */
const CHECKED_EVERY_MS = 5000;

const isRefusal = (error: unknown): boolean =>
  error instanceof Problem && [401, 403].includes(statusOf(error.code));

/**
 * Calls `end` once the reader of an open stream may no longer have it: the token was ended or has
 * expired, or its user has lost the right. What cannot be checked because a server is unavailable
 * ends nothing.
 */
export function endWhenRefused(response: Response, end: () => void): void {
  const { checkAgain } = contextOf(response);
  if (!checkAgain) return;
  const timer = setInterval(() => {
    checkAgain().catch((error: unknown) => {
      if (isRefusal(error)) end();
    });
  }, CHECKED_EVERY_MS);
  response.once('close', () => {
    clearInterval(timer);
  });
}
