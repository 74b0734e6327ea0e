/** Something that happens at an instant of simulated time. */
export interface SimulatedEvent {
  atMs: number;
  /** Whose code runs; null for what happens inside of a server or in the network. */
  readonly process: SimulatedProcess | null;
  readonly run: () => void;
  cancelled: boolean;
}

/**
 * A process of the product, which can be killed and frozen by itself. Events for a dead process
 * never happen. Those for a frozen one wait until it wakes up, timers included, as after SIGSTOP.
 */
export class SimulatedProcess {
  alive = true;
  frozen = false;
  /** What has happened for it while it was frozen. */
  readonly held: SimulatedEvent[] = [];
  private readonly atEnd: (() => void)[] = [];

  constructor(readonly name: string) {}

  /** Called when it ends, however it does. */
  onEnd(listener: () => void): void {
    this.atEnd.push(listener);
  }

  end(): void {
    if (!this.alive) return;
    this.alive = false;
    this.held.length = 0;
    for (const listener of this.atEnd) listener();
  }
}
