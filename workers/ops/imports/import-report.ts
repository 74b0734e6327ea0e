import { Progress } from '../progress';

export interface ImportCounts {
  rows: number;
  registered: number;
  alreadyThere: number;
  merged: number;
  warnings: number;
  refused: number;
}

/** Counts the rows of an import, and reports its progress and every remark on a row. */
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
  private readonly shown: Progress;

  private readonly leftOut = new Map<string, number>();

  /**
   * `fileBytes`: size of the file, which progress is measured by. `unit`: what remarks number.
   */
  constructor(
    fileBytes: number,
    readonly unit: 'line' | 'record',
  ) {
    this.shown = new Progress(
      fileBytes,
      () => `${this.counts.rows} rows, ${this.counts.refused} refused`,
    );
  }

  start(): void {
    this.shown.start();
  }

  /** `bytes`: how far the file is read. */
  progress(bytes: number): void {
    this.shown.update(bytes);
  }

  /** Counts fields that titles have no place for. */
  leaveOut(names: readonly string[]): void {
    for (const name of names) this.leftOut.set(name, (this.leftOut.get(name) ?? 0) + 1);
  }

  /** A remark on the row that begins at `line`. */
  remark(line: number, text: string): void {
    this.shown.tell(`${this.unit} ${line}: ${text}`);
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
    this.shown.stop();
  }

  /** Returns the fields that were left out, the most frequent first. */
  private get left(): [string, number][] {
    return [...this.leftOut].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
  }

  /** Returns the counts as JSON, with left-out fields only when a file can have them. */
  json(): string {
    const leftOut = Object.fromEntries(this.left);
    return JSON.stringify(this.unit === 'record' ? { ...this.counts, leftOut } : this.counts);
  }

  summary(): string {
    const { rows, registered, alreadyThere, merged, warnings, refused } = this.counts;
    const seconds = ((Date.now() - this.startedAt) / 1000).toFixed(1);
    const left = this.left.map(([name, count]) => `${name} (${count})`).join(', ');
    const last = left === '' ? '' : `\nLeft out, because titles have no field for it: ${left}.`;
    return `${rows} rows: ${registered} registered, ${alreadyThere} already there, ${merged} merged, ${refused} refused; ${warnings} warnings; ${seconds} s${last}`;
  }
}
