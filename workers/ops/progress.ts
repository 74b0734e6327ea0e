import { MultiBar, type SingleBar } from 'cli-progress';

/** How often progress is told when stderr is not a terminal, milliseconds. */
const TOLD_EVERY_MS = 5000;

/** How far a command is, on stderr: a bar on a terminal, else a line now and then. */
export class Progress {
  private done = 0;
  private bars: MultiBar | null = null;
  private bar: SingleBar | null = null;
  private timer: NodeJS.Timeout | null = null;

  /** `counted`: what has been done, in words. */
  constructor(
    private readonly total: number,
    private readonly counted: () => string,
  ) {}

  start(): void {
    if (process.stderr.isTTY) {
      this.bars = new MultiBar({
        format: '{bar} {percentage}% | {counted} | {duration_formatted}',
        stream: process.stderr,
        hideCursor: true,
      });
      this.bar = this.bars.create(this.total, 0, { counted: this.counted() });
    } else {
      this.timer = setInterval(() => {
        this.tell(`${this.percentage()}%: ${this.counted()}`);
      }, TOLD_EVERY_MS);
    }
  }

  update(done: number): void {
    this.done = Math.min(Math.max(this.done, done), this.total);
    this.bar?.update(this.done, { counted: this.counted() });
  }

  /** Writes a line, above the bar. */
  tell(text: string): void {
    if (this.bars) this.bars.log(`${text}\n`);
    else process.stderr.write(`${text}\n`);
  }

  stop(): void {
    this.bars?.stop();
    if (this.timer) clearInterval(this.timer);
  }

  private percentage(): number {
    return Math.floor((100 * this.done) / Math.max(1, this.total));
  }
}
