import type { SimulatedProcess } from './process';
import type { Random } from './random';
import type { Scheduler } from './scheduler';

/** How long a message takes from one end to the other, milliseconds. */
export interface Latency {
  readonly usualMs: number;
  readonly slowMs: number;
  /** How many of a thousand are slow. */
  readonly slowPermille: number;
}

/**
 * Longest time that what a process has sent before it died may still be under way, milliseconds.
 */
const LINGER_MS = 3;

/**
 * A TCP connection between a process and a server. What is sent arrives later and in order, up to a
 * moment at which the connection breaks; each end learns of the break at its own time, and until
 * then sends into the void.
 */
export class Wire {
  /** Called once, when the server learns that the connection is gone. */
  onServerLost: () => void = () => undefined;
  /** Called once, in the code of the process, when it learns that the connection is gone. */
  onClientLost: () => void = () => undefined;
  private serverBusyUntilMs = 0;
  private clientBusyUntilMs = 0;
  /** After this moment nothing arrives any more, in either direction. */
  private brokenAtMs = Infinity;
  private clientKnows = false;
  private serverKnows = false;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly random: Random,
    readonly process: SimulatedProcess,
    private readonly latency: Latency,
  ) {
    process.onEnd(() => {
      this.hangUp();
    });
  }

  toServer(run: () => void): void {
    if (!this.process.alive || this.brokenAtMs !== Infinity) return;
    this.serverBusyUntilMs = Math.max(
      this.serverBusyUntilMs,
      this.scheduler.nowMs + this.delayMs(),
    );
    const arrivesAtMs = this.serverBusyUntilMs;
    this.scheduler.at(arrivesAtMs, null, () => {
      if (arrivesAtMs <= this.brokenAtMs && !this.serverKnows) run();
    });
  }

  toClient(run: () => void): void {
    if (this.brokenAtMs !== Infinity) return;
    this.clientBusyUntilMs = Math.max(
      this.clientBusyUntilMs,
      this.scheduler.nowMs + this.delayMs(),
    );
    const arrivesAtMs = this.clientBusyUntilMs;
    this.scheduler.at(arrivesAtMs, this.process, () => {
      if (arrivesAtMs <= this.brokenAtMs && !this.clientKnows) run();
    });
  }

  /** Breaks now; the two ends learn of it after these times. */
  cut({
    clientAfterMs = 0,
    serverAfterMs = 0,
  }: { readonly clientAfterMs?: number; readonly serverAfterMs?: number } = {}): void {
    this.brokenAtMs = Math.min(this.brokenAtMs, this.scheduler.nowMs);
    this.scheduler.in(serverAfterMs, null, () => {
      this.tellServer();
    });
    this.scheduler.in(clientAfterMs, this.process, () => {
      if (this.clientKnows) return;
      this.clientKnows = true;
      this.onClientLost();
    });
  }

  /** The process closes the connection; what it has sent arrives before. */
  close(): void {
    this.end(Math.max(this.scheduler.nowMs, this.serverBusyUntilMs));
  }

  /** The process has died: what it has sent arrives, all of it or the first part. */
  private hangUp(): void {
    this.end(
      this.random.chance(0.5)
        ? this.scheduler.nowMs + this.random.between(0, LINGER_MS)
        : Math.max(this.scheduler.nowMs, this.serverBusyUntilMs),
    );
  }

  private end(atMs: number): void {
    this.clientKnows = true;
    this.brokenAtMs = Math.min(this.brokenAtMs, atMs);
    this.scheduler.at(Math.max(this.brokenAtMs, this.scheduler.nowMs), null, () => {
      this.tellServer();
    });
  }

  private tellServer(): void {
    if (this.serverKnows) return;
    this.serverKnows = true;
    this.onServerLost();
  }

  private delayMs(): number {
    const { usualMs, slowMs, slowPermille } = this.latency;
    return this.random.next() * (this.random.chance(slowPermille / 1000) ? slowMs : usualMs);
  }
}
