import { CacheUnavailable } from './cache';

/** An attempt that ends with an error, or with null when it has succeeded. */
export interface Attempt {
  readonly end: (error: unknown) => void;
  readonly ended: Promise<unknown>;
}

export function newAttempt(): Attempt {
  let end: (error: unknown) => void = () => undefined;
  const ended = new Promise<unknown>((resolve) => {
    end = resolve;
  });
  return { end, ended };
}

/**
 * Awaits `work`.
 * @throws CacheUnavailable when it has not ended within `limitMs` milliseconds.
 */
export function inTime<Result>(work: Promise<Result>, limitMs: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      // After long computing, timers run before sockets are read, so the answer may be here
      // already.
      setImmediate(() => {
        reject(new CacheUnavailable(`Redis did not answer within ${limitMs} ms`));
      });
    }, limitMs);
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
}
