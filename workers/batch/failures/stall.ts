import { commandsStalled } from '../../metrics';

/**
 * How long batches must fail before that is reported, milliseconds: a deadlock or a restart of a
 * server takes less.
 */
const REPORTED_AFTER_MS = 1000;

/**
 * Whether a fault of the system keeps commands from being carried out, for readiness, metrics and
 * the doctor.
 */
export class Stall {
  private since: number | null = null;
  private why = '';

  /** Takes note that a batch failed, and why. */
  failed(why: string): void {
    this.since ??= performance.now();
    this.why = why;
    commandsStalled.set(this.reason === null ? 0 : 1);
  }

  /** Takes note that all of a batch was carried out. */
  ended(): void {
    if (this.since === null) return;
    this.since = null;
    commandsStalled.set(0);
  }

  /** Why no command has been carried out for a second or longer; null while all is well. */
  get reason(): string | null {
    return this.since !== null && performance.now() - this.since >= REPORTED_AFTER_MS
      ? this.why
      : null;
  }
}
