/** How often it is looked whether anybody was answered, milliseconds. */
const LOOK_MS = 20;

/** Measures the longest time in which no client of a storm was answered. */
export class LongestPause {
  private longestMs = 0;
  private answered = 0;
  private since = performance.now();
  private readonly timer = setInterval(() => {
    this.look();
  }, LOOK_MS);

  constructor(private readonly count: () => number) {}

  /** Returns the longest pause since the last call, in seconds. */
  take(): string {
    this.look();
    const seconds = (this.longestMs / 1000).toFixed(1);
    this.longestMs = 0;
    return seconds;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const now = performance.now();
    this.longestMs = Math.max(this.longestMs, now - this.since);
    if (this.count() === this.answered) return;
    this.answered = this.count();
    this.since = now;
  }
}
