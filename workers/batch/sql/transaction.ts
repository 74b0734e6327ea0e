/**
 * Runs the transaction of a batch in two round trips: one begins, fences and reads, the other
 * writes and commits. The first one of the next batch may travel with the second of this one, so
 * MySQL works while the worker answers.
 *
 * `mysql-transaction.ts` and `sqlite-transaction.ts` are the two ways, `dialects.ts` chooses.
 */

export interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
}

export type Row = Record<string, unknown>;

export interface StatementResult {
  /** Rows of a SELECT, else empty. */
  readonly rows: Row[];
  /** Rows that an INSERT, UPDATE or DELETE changed. */
  readonly affected: number;
}

export interface BatchTransaction {
  /** Runs statements inside the transaction. */
  run(statements: readonly Statement[]): Promise<StatementResult[]>;
  /**
   * Sends statements ahead, so that the database runs them while those of the commit are prepared.
   * The commit waits until they have succeeded, and throws when they have not. Once in a
   * transaction; absent where a round trip costs nothing.
   */
  send?(statements: readonly Statement[]): void;
  /** Runs the statements and commits. When it throws, whether it committed is unknown. */
  commit(statements: readonly Statement[]): Promise<void>;
  /**
   * Commits, and begins the next transaction with its first statements behind it. `begin`, when it
   * is asked next and for these very statements, continues there; asked for others it rolls that
   * back first. Resolves, and throws, as `commit` does: what becomes of the next transaction is
   * told by `begin`. Absent where a round trip costs nothing.
   */
  commitAndBegin?(statements: readonly Statement[], next: readonly Statement[]): Promise<void>;
  /** Ends the transaction without effect; never throws. */
  rollback(): Promise<void>;
}

/**
 * Begins a transaction and runs the first statements in it. When it throws, nothing is left open.
 */
export type BeginBatch = (
  statements: readonly Statement[],
) => Promise<{ transaction: BatchTransaction; results: StatementResult[] }>;

export interface BatchTransactions {
  /** For one batch at a time. */
  readonly begin: BeginBatch;
  /**
   * Rolls back what was begun ahead and not asked for, so that nothing stays open, and locked,
   * while no batch follows. Never throws.
   */
  dropPipelined(): Promise<void>;
  /** Gives up the connection that the batches ran on. */
  close(): Promise<void>;
}
