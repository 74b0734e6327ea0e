import type { SimulatedEvent, SimulatedProcess } from './process';
import { Scheduler } from './scheduler';

/**
 * Stands in for the clock and the timers of the code under test. They are globals there and so they
 * are here: one simulation runs at a time, `useTime` says which, and a timer belongs to the process
 * whose code made it.
 */

/** When simulated time begins, milliseconds since 1970. */
const START_MS = Date.UTC(2027, 0);

let scheduler = new Scheduler();

export function useTime(of: Scheduler): void {
  scheduler = of;
}

/** The present instant, milliseconds since 1970. */
export const instantMs = (): number => START_MS + Math.floor(scheduler.nowMs);

/** The process whose code runs. */
export function currentProcess(): SimulatedProcess {
  if (!scheduler.current) throw new Error('outside of any simulated process');
  return scheduler.current;
}

/** What `setTimeout` returns in Node, as far as it is used. */
class Timer {
  private event: SimulatedEvent | null = null;

  constructor(delayMs: number, again: boolean, run: () => void) {
    const process = currentProcess();
    const plan = () => {
      this.event = scheduler.in(Math.max(delayMs, again ? 1 : 0), process, () => {
        if (again) plan();
        run();
      });
    };
    plan();
  }

  cancel(): void {
    if (this.event) this.event.cancelled = true;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

type Callback = (...values: unknown[]) => void;

const timers = {
  setTimeout: (run: Callback, delayMs = 0, ...values: unknown[]) =>
    new Timer(delayMs, false, () => {
      run(...values);
    }),
  setInterval: (run: Callback, delayMs = 0, ...values: unknown[]) =>
    new Timer(delayMs, true, () => {
      run(...values);
    }),
  setImmediate: (run: Callback, ...values: unknown[]) =>
    new Timer(0, false, () => {
      run(...values);
    }),
  clearTimeout: (timer?: Timer) => timer?.cancel(),
  clearInterval: (timer?: Timer) => timer?.cancel(),
};

const RealDate = Date;

class SimulatedDate extends RealDate {
  constructor(...values: [] | ConstructorParameters<typeof Date>) {
    super(...((values.length === 0 ? [instantMs()] : values) as [number]));
  }

  static override now(): number {
    return instantMs();
  }
}

/** In place of `setTimeout` of `node:timers/promises`. */
export function pause(
  delayMs: number,
  value?: unknown,
  { signal }: { signal?: AbortSignal } = {},
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      timer.cancel();
      reject(signal?.reason as Error);
    };
    const timer = new Timer(delayMs, false, () => {
      signal?.removeEventListener('abort', abort);
      resolve(value);
    });
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Puts the stand-ins in their places, for this whole program. */
export function installTime(): void {
  Object.assign(globalThis, timers, { Date: SimulatedDate });
  performance.now = () => scheduler.nowMs;
}
