/** Pauses between two tries, milliseconds. */
const FIRST_MS = 200;
const LONGEST_MS = 5000;

/**
 * Resolves later.
 * @throws the reason of the signal when that comes first.
 */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

/**
 * Returns the pause after this many failures. It doubles each time, and is random, so that
 * disconnected clients do not come back together. It is never shorter than the service has asked
 * for.
 */
export const backoffMs = (failures: number, retryAfterMs = 0): number =>
  retryAfterMs + Math.random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** failures);
