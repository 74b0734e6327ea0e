import { MultiBar, type SingleBar } from 'cli-progress';

/** How often progress is told when stderr is not a terminal, milliseconds. */
const TOLD_EVERY_MS = 5000;

export interface ImportCounts {
  rows: number;
  registered: number;
  alreadyThere: number;
  merged: number;
  warnings: number;
  refused: number;
}

/**
 * Counts an import, tells its progress and every remark on a row on stderr: a bar on a terminal,
 * else a line now and then.
 */
export class ImportReport {
  readonly counts: ImportCounts = {
    rows: 0,
    registered: 0,
    alreadyThere: 0,
    merged: 0,
    warnings: 0,
    refused: 0,
  };
  private readonly startedAt = Date.now();
  private bytes = 0;
  private bars: MultiBar | null = null;
  private bar: SingleBar | null = null;
  private timer: NodeJS.Timeout | null = null;

  /** `fileBytes`: size of the file, which progress is measured by. */
  constructor(private readonly fileBytes: number) {}

  start(): void {
    if (process.stderr.isTTY) {
      this.bars = new MultiBar({
        format: '{bar} {percentage}% | {rows} rows, {refused} refused | {duration_formatted}',
        stream: process.stderr,
        hideCursor: true,
      });
      this.bar = this.bars.create(this.fileBytes, 0, this.counts);
    } else {
      this.timer = setInterval(() => {
        this.tell(
          `${this.percentage()}%: ${this.counts.rows} rows, ${this.counts.refused} refused`,
        );
      }, TOLD_EVERY_MS);
    }
  }

  /** `bytes`: how far the file is read. */
  progress(bytes: number): void {
    this.bytes = Math.max(this.bytes, bytes);
    this.bar?.update(this.bytes, this.counts);
  }

  /** A remark on the row that begins at `line`. */
  remark(line: number, text: string): void {
    this.tell(`line ${line}: ${text}`);
  }

  warn(line: number, text: string): void {
    this.counts.warnings += 1;
    this.remark(line, `warning: ${text}`);
  }

  refuse(line: number, reason: string): void {
    this.counts.refused += 1;
    this.remark(line, `refused: ${reason}`);
  }

  stop(): void {
    this.bars?.stop();
    if (this.timer) clearInterval(this.timer);
  }

  summary(): string {
    const { rows, registered, alreadyThere, merged, warnings, refused } = this.counts;
    const seconds = ((Date.now() - this.startedAt) / 1000).toFixed(1);
    return `${rows} rows: ${registered} registered, ${alreadyThere} already there, ${merged} merged, ${refused} refused; ${warnings} warnings; ${seconds} s`;
  }

  private percentage(): number {
    return Math.floor((100 * this.bytes) / Math.max(1, this.fileBytes));
  }

  private tell(text: string): void {
    if (this.bars) this.bars.log(`${text}\n`);
    else process.stderr.write(`${text}\n`);
  }
}
