import { bookInfoKey } from '../../shared/lending/commands';
import type { EventCounts } from '../batch/service/event-counts';
import { TrackedRows } from '../batch/service/tracked-rows';
import type { Title } from './rows';

/** The titles of one batch in memory. */
export class Titles {
  private readonly rows = new TrackedRows<Title>();
  private readonly isbns = new Map<string, number>();

  load(title: Title): void {
    this.rows.load(title);
    this.index(title);
  }

  put(title: Title): void {
    const before = this.rows.get(title.id);
    if (before?.isbn) this.isbns.delete(before.isbn);
    this.rows.put(title);
    this.index(title);
  }

  get(id: number): Title | undefined {
    return this.rows.get(id);
  }

  /** Returns a title as it is stored. */
  stored(id: number): Title | undefined {
    return this.rows.stored(id);
  }

  withIsbn(isbn: string): Title | undefined {
    const id = this.isbns.get(isbn);
    return id === undefined ? undefined : this.rows.get(id);
  }

  /** Ids of the titles that are new or changed. */
  changedIds(): number[] {
    return this.rows.changedIds();
  }

  /**
   * Returns rows to write. Titles of which only the stock has changed are apart, because that is
   * frequent. `leaving`: titles whose ISBN another title may get.
   */
  pending(events: EventCounts) {
    const { inserted, updated } = this.rows.pending();
    const described = updated.filter((title) => {
      const before = this.rows.stored(title.id);
      return before?.version !== title.version || before.deletedAt !== title.deletedAt;
    });
    const apart = new Set(described);
    // Also titles that only had events, because those are counted.
    const stocked = this.rows.storedIds().flatMap((id) => {
      const title = this.rows.get(id);
      const isChanged = this.rows.isChanged(id) || events.hasChanged(bookInfoKey(id));
      return title && isChanged && !apart.has(title) ? [title] : [];
    });
    const leaving = described.filter((title) => this.leavesIsbn(title));
    return { inserted, leaving, described, stocked };
  }

  private leavesIsbn({ id, isbn, deletedAt }: Title): boolean {
    const before = this.rows.stored(id);
    return (
      before !== undefined &&
      before.isbn !== null &&
      before.deletedAt === null &&
      (before.isbn !== isbn || deletedAt !== null)
    );
  }

  private index({ id, isbn, deletedAt }: Title): void {
    if (isbn && !deletedAt) this.isbns.set(isbn, id);
  }
}
