type Row = Record<string, unknown>;

/** The question that Sequelize asks before each query, once for each of its tables. */
const ASKS = /^PRAGMA table_info\(/;
const CHANGES_TABLES = /^\s*(?:CREATE|ALTER|DROP)\b/i;

/**
 * Remembers the columns of tables after reading them once. It forgets them when a statement may
 * change a table, and when such a transaction ends.
 */
export class KnownColumns {
  private readonly rows = new Map<string, Row[]>();

  of(sql: string): Row[] | undefined {
    return this.rows.get(sql);
  }

  learn(sql: string, rows: Row[] | undefined): void {
    if (rows && ASKS.test(sql)) this.rows.set(sql, rows);
  }

  forget(): void {
    this.rows.clear();
  }
}

export const changesTables = (sql: string): boolean => CHANGES_TABLES.test(sql);
