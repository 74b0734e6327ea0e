import { DEFAULT_KIND } from '../../shared/lending/loan-rules';
import { TrackedRows } from '../batch/service/tracked-rows';
import type { Copy } from './rows';

const isAvailable = (copy: Copy): boolean => copy.status === 'AVAILABLE' && copy.deletedAt === null;

/** The copies of one batch in memory. */
export class Copies {
  private readonly rows = new TrackedRows<Copy>();
  private readonly available = new Map<number, Set<number>>();
  private readonly barcodes = new Map<string, number>();

  load(copy: Copy): void {
    this.index(copy);
    this.rows.load(copy);
  }

  put(copy: Copy): void {
    this.index(copy);
    this.rows.put(copy);
  }

  get(id: number): Copy | undefined {
    return this.rows.get(id);
  }

  withBarcode(barcode: string): Copy | undefined {
    const id = this.barcodes.get(barcode);
    return id === undefined ? undefined : this.rows.get(id);
  }

  /** Returns the copies of a title that have a barcode. */
  labelledOf(bookInfoId: number): Copy[] {
    return [...this.barcodes.values()]
      .flatMap((id) => this.rows.get(id) ?? [])
      .filter((copy) => copy.bookInfoId === bookInfoId);
  }

  /** Returns the available copy of a title with the lowest id. */
  firstAvailableOf(bookInfoId: number): Copy | undefined {
    let lowest = Infinity;
    for (const id of this.available.get(bookInfoId) ?? []) if (id < lowest) lowest = id;
    return this.rows.get(lowest);
  }

  kindOf(id: number): string {
    return this.rows.get(id)?.kind ?? DEFAULT_KIND;
  }

  /** Returns the kind of the first copy of a title. */
  kindOfTitle(bookInfoId: number): string {
    let first: Copy | undefined;
    for (const copy of this.rows.values())
      if (copy.bookInfoId === bookInfoId && !copy.deletedAt && copy.id < (first?.id ?? Infinity))
        first = copy;
    return first?.kind ?? DEFAULT_KIND;
  }

  /** Returns rows to write, apart for copies whose barcode or kind has changed. */
  pending() {
    const { inserted, updated } = this.rows.pending();
    const relabelled = updated.filter(
      ({ id, barcode }) => this.rows.stored(id)?.barcode !== barcode,
    );
    const renamed = updated.filter(({ id, kind }) => this.rows.stored(id)?.kind !== kind);
    return { inserted, updated, relabelled, renamed };
  }

  /** Indexes a copy that is about to be added. */
  private index(copy: Copy): void {
    const before = this.rows.get(copy.id)?.barcode ?? null;
    if (before !== null && this.barcodes.get(before) === copy.id) this.barcodes.delete(before);
    if (copy.barcode !== null && copy.deletedAt === null) this.barcodes.set(copy.barcode, copy.id);
    const available = this.available.get(copy.bookInfoId) ?? new Set();
    if (isAvailable(copy)) available.add(copy.id);
    else available.delete(copy.id);
    this.available.set(copy.bookInfoId, available);
  }
}
