import type { SimulatedProcess } from '../process';
import type { Random } from '../random';
import type { Scheduler } from '../scheduler';

/** What becomes of a COMMIT. */
export type CommitFate =
  | 'carried out'
  | 'failed write'
  | 'failed flush'
  | 'lost answer'
  | 'torn write';

const FATES: Readonly<Record<Exclude<CommitFate, 'carried out'>, number>> = {
  'failed write': 3,
  'failed flush': 2,
  'lost answer': 2,
  'torn write': 2,
};
const TEXTS = [
  'database or disk is full',
  'disk I/O error',
  'attempt to write a readonly database',
];
/** Until the power fails after a flush that failed, milliseconds. */
const POWER_MS = 700;
/** How long a disk stays full at most, milliseconds. */
const FULL_MS = 4000;

/** What goes wrong with the disk in one simulation, drawn when it is asked for. */
export class StorageFaults {
  private healed = false;
  private fullUntilMs = -1;
  private readonly writeTrouble: number;
  private readonly commitTrouble: number;
  private readonly fullTrouble: number;

  constructor(
    private readonly random: Random,
    private readonly scheduler: Scheduler,
  ) {
    const trouble = (most: number) => (random.chance(0.4) ? 0 : random.between(0, most));
    this.writeTrouble = trouble(0.03);
    this.commitTrouble = trouble(0.15);
    this.fullTrouble = trouble(0.02);
  }

  /** From now on nothing goes wrong any more. */
  heal(): void {
    this.healed = true;
  }

  writeFails(): boolean {
    return this.isFull() || this.happens(this.writeTrouble);
  }

  fateOfCommit(): CommitFate {
    if (this.isFull()) return 'failed write';
    return this.happens(this.commitTrouble) ? this.random.weighted(FATES) : 'carried out';
  }

  /** What SQLite says, and whether it rolled the transaction back by itself. */
  failedWrite(): { readonly text: string; readonly rolledBack: boolean } {
    return {
      text: this.isFull() ? 'database or disk is full' : this.random.pick(TEXTS),
      rolledBack: this.random.chance(0.5),
    };
  }

  /** The process learns of the failed flush, and ends before anything else can be stored. */
  powerFails(process: SimulatedProcess): void {
    this.scheduler.in(this.random.between(0, POWER_MS), null, () => {
      process.end();
    });
  }

  /** A place among the bytes that were changed; the torn log has the new ones before it. */
  cutOf(before: Buffer, after: Buffer): number {
    let first = 0;
    while (first < after.length && before[first] === after[first]) first += 1;
    return this.random.integer(first, after.length);
  }

  private isFull(): boolean {
    if (this.healed) return false;
    if (this.happens(this.fullTrouble))
      this.fullUntilMs = this.scheduler.nowMs + this.random.between(0, FULL_MS);
    return this.scheduler.nowMs < this.fullUntilMs;
  }

  private happens(probability: number): boolean {
    return !this.healed && probability > 0 && this.random.chance(probability);
  }
}
