import type { SimulatedEvent, SimulatedProcess } from './process';

/**
 * Simulated time. Events happen one after the other, each at its instant; between two of them no
 * time passes. After an event in the code of a process, everything that its promises bring about
 * happens before the next event, so at each moment it is known whose code runs: `current`. That
 * holds as long as nobody but an event resolves a promise of another process.
 */

/**
 * Comes after all microtasks. Code under test has a stand-in for it, which takes its turn among the
 * events.
 */
const macrotask = setImmediate;

export class Scheduler {
  nowMs = 0;
  /** Events in the code of processes so far. */
  steps = 0;
  /** The process whose code runs. */
  current: SimulatedProcess | null = null;
  /** Called after each step, when the process waits again. */
  afterStep: (process: SimulatedProcess) => void = () => undefined;
  /** The next one is the last; those of one instant happen in the order in which they were made. */
  private readonly events: SimulatedEvent[] = [];

  /** Lets something happen after a delay: in the code of a process, or outside of all (null). */
  in(delayMs: number, process: SimulatedProcess | null, run: () => void): SimulatedEvent {
    return this.at(this.nowMs + delayMs, process, run);
  }

  at(atMs: number, process: SimulatedProcess | null, run: () => void): SimulatedEvent {
    return this.put({ atMs, process, run, cancelled: false });
  }

  /** What happened for it meanwhile happens now, in its order. */
  thaw(process: SimulatedProcess): void {
    process.frozen = false;
    for (const event of process.held.splice(0))
      this.put(Object.assign(event, { atMs: this.nowMs }));
  }

  /**
   * Runs until `done`, looked at after each event. False when the time is over, or nothing happens
   * any more.
   */
  async run(done: () => boolean, untilMs: number): Promise<boolean> {
    while (!done()) {
      const event = this.events.pop();
      if (!event || event.atMs > untilMs) return false;
      if (event.cancelled) continue;
      this.nowMs = event.atMs;
      const { process } = event;
      if (process === null) event.run();
      else if (process.frozen) process.held.push(event);
      else if (process.alive) await this.step(process, event);
    }
    return true;
  }

  private put(event: SimulatedEvent): SimulatedEvent {
    const { events } = this;
    let [low, high] = [0, events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (events[middle]!.atMs > event.atMs) low = middle + 1;
      else high = middle;
    }
    events.splice(low, 0, event);
    return event;
  }

  private async step(process: SimulatedProcess, event: SimulatedEvent): Promise<void> {
    this.current = process;
    this.steps += 1;
    event.run();
    await new Promise((resolve) => macrotask(resolve));
    this.current = null;
    if (process.alive) this.afterStep(process);
  }
}
