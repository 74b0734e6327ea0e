/**
 * Rows of one kind in a batch, by id: as they were loaded, and as decisions leave them. Rows are
 * never changed; a change is a new row. Each is written once, in its last form, however many
 * commands touched it.
 */
export class TrackedRows<Row extends { readonly id: number }> {
  private readonly rows = new Map<number, Row>();
  private readonly loaded = new Map<number, Row>();
  private readonly changed = new Set<number>();

  load(row: Row): void {
    this.loaded.set(row.id, row);
    this.rows.set(row.id, row);
  }

  /** Takes a row that is new, or that replaces another. */
  put(row: Row): void {
    this.rows.set(row.id, row);
    this.changed.add(row.id);
  }

  remove(id: number): void {
    this.rows.delete(id);
    this.changed.add(id);
  }

  get(id: number): Row | undefined {
    return this.rows.get(id);
  }

  values(): Iterable<Row> {
    return this.rows.values();
  }

  /** A row as the database has it. */
  stored(id: number): Row | undefined {
    return this.loaded.get(id);
  }

  storedIds(): number[] {
    return [...this.loaded.keys()];
  }

  isChanged(id: number): boolean {
    return this.changed.has(id);
  }

  /** Ids of the rows that are new, changed or removed. */
  changedIds(): number[] {
    return [...this.changed];
  }

  /** Rows to insert and rows to update. */
  pending(): { inserted: Row[]; updated: Row[] } {
    const inserted: Row[] = [];
    const updated: Row[] = [];
    for (const id of this.changed) {
      const row = this.rows.get(id);
      if (row) (this.loaded.has(id) ? updated : inserted).push(row);
    }
    return { inserted, updated };
  }
}
