import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import {
  sqliteHandleClass,
  type HandleClass,
  type SqliteHandle,
} from '../../../shared/database/sqlite-files';
import type { SimulatedProcess } from '../process';
import type { StorageFaults } from './faults';

/**
 * The disk of an embedded process. SQLite is real, on real files. These faults are injected:
 *
 * - failed write: the disk is full or fails, and SQLite has rolled back or not
 * - failed flush: COMMIT fails. After a loss of power, it may still be there
 * - lost answer: the process ends after COMMIT and before it learns of it
 * - torn write: power fails in the middle of COMMIT, and the log (WAL) has a part of its frames
 *
 * What an earlier COMMIT stored is on the disk. A test of `synchronous = FULL` covers flushing.
 */

const Real = sqliteHandleClass();
const WRITES = /^\s*(INSERT|UPDATE|DELETE|REPLACE)/i;

/** A database file with its log, as bytes. */
interface Files {
  readonly file: Buffer;
  readonly log: Buffer;
}

const logOf = (path: string) => `${path}-wal`;
const filesAt = (path: string): Files => ({
  file: readFileSync(path),
  log: existsSync(logOf(path)) ? readFileSync(logOf(path)) : Buffer.alloc(0),
});

export class Disk {
  private readonly folder: string;
  private readonly opened: SqliteHandle[] = [];
  private lives = 0;
  /** What the next process finds; null: what is there when this one ends. */
  private left: Files | null = null;

  constructor(
    private readonly faults: StorageFaults,
    private readonly tell: (line: () => string) => void,
    template: string,
  ) {
    this.folder = mkdtempSync(join(dirname(template), 'disk-'));
    copyFileSync(template, this.path);
  }

  private get path(): string {
    return join(this.folder, `${this.lives}.sqlite`);
  }

  /**
   * The file for a process that starts: the former one keeps its own, so that nothing it still does
   * is seen.
   */
  start(): string {
    const { file, log } = this.left ?? filesAt(this.path);
    this.left = null;
    this.lives += 1;
    writeFileSync(this.path, file);
    writeFileSync(logOf(this.path), log);
    return this.path;
  }

  /** The connections of one process. */
  handlesFor(process: SimulatedProcess): HandleClass {
    const open = (real: SqliteHandle) => this.opened.push(real);
    const wrap = (real: SqliteHandle, sql: string, run: () => unknown) =>
      this.carryOut(process, real, sql, run);
    return class implements SqliteHandle {
      private readonly real: SqliteHandle;

      constructor(file: string, options?: { timeout?: number }) {
        this.real = new Real(file, options);
        open(this.real);
      }

      get isTransaction(): boolean {
        return this.real.isTransaction;
      }

      prepare(sql: string): ReturnType<SqliteHandle['prepare']> {
        const statement = this.real.prepare(sql);
        return {
          run: (...values) =>
            wrap(this.real, sql, () => statement.run(...values)) as ReturnType<
              typeof statement.run
            >,
          all: (...values) =>
            wrap(this.real, sql, () => statement.all(...values)) as ReturnType<
              typeof statement.all
            >,
        };
      }

      exec(sql: string): void {
        wrap(this.real, sql, () => {
          this.real.exec(sql);
        });
      }

      close(): void {
        // Closing the last connection would tidy the log up; the next process is to find it as it
        // is.
      }
    };
  }

  /** The power is about to fail: nothing can be read or written any more. */
  get failing(): boolean {
    return this.left !== null;
  }

  /** What stands in the file, seen from outside. */
  rows(sql: string): Record<string, unknown>[] {
    const reader = new Real(this.path);
    const rows = reader.prepare(sql).all();
    reader.close();
    return rows;
  }

  /** Removes everything. */
  close(): void {
    for (const handle of this.opened) handle.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private carryOut(
    process: SimulatedProcess,
    real: SqliteHandle,
    sql: string,
    run: () => unknown,
  ): unknown {
    if (!process.alive || this.left) throw new Error('disk I/O error');
    if (/^COMMIT/i.test(sql)) return this.commit(process, real, run);
    if (WRITES.test(sql) && this.faults.writeFails()) this.failWrite(real, sql.slice(0, 40));
    return run();
  }

  private failWrite(real: SqliteHandle, what: string): never {
    const { text, rolledBack } = this.faults.failedWrite();
    this.tell(() => `fault: ${text} at ${what}${rolledBack ? ', rolled back' : ''}`);
    if (rolledBack && real.isTransaction) real.exec('ROLLBACK');
    throw new Error(text);
  }

  private commit(process: SimulatedProcess, real: SqliteHandle, run: () => unknown): unknown {
    const fate = this.faults.fateOfCommit();
    if (fate === 'carried out') return run();
    if (fate === 'failed write') this.failWrite(real, 'COMMIT');
    this.tell(() => `fault: ${fate} at COMMIT`);
    const before = filesAt(this.path);
    run();
    const after = filesAt(this.path);
    this.left = fate === 'torn write' ? this.torn(before, after) : after;
    if (fate !== 'failed flush') process.end();
    else this.faults.powerFails(process);
    throw new Error('disk I/O error');
  }

  /**
   * Of what was written to the log, the first part. When the file was written too, the log had been
   * stored before.
   */
  private torn(before: Files, after: Files): Files {
    if (!before.file.equals(after.file)) return after;
    const cut = this.faults.cutOf(before.log, after.log);
    const log = Buffer.concat([after.log.subarray(0, cut), before.log.subarray(cut)]);
    this.tell(() => `the log holds ${cut} of ${after.log.length} bytes`);
    return { file: after.file, log };
  }
}
