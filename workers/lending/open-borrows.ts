import { ANY } from '../../shared/lending/loan-rules';
import type { Borrow } from './rows';

/** What users have on loan, over all titles, as far as limits need it. */
export class OpenBorrows {
  private readonly counts = new Map<number, Map<string, number>>();
  private readonly dues = new Map<number, Map<number, Date>>();

  add(userId: number, kind: string, open: number): void {
    const ofUser = this.counts.get(userId) ?? new Map<string, number>();
    ofUser.set(kind, (ofUser.get(kind) ?? 0) + open);
    this.counts.set(userId, ofUser);
  }

  count(userId: number, kind: string = ANY): number {
    const ofUser = this.counts.get(userId);
    if (kind !== ANY) return ofUser?.get(kind) ?? 0;
    let all = 0;
    for (const open of ofUser?.values() ?? []) all += open;
    return all;
  }

  /** Notes when a borrow is due, or that it is closed. */
  due({
    id,
    userId,
    dueAt,
    status = 'BORROWED',
  }: Pick<Borrow, 'id' | 'userId' | 'dueAt'> & Partial<Borrow>): void {
    const ofUser = this.dues.get(userId) ?? new Map<number, Date>();
    if (status === 'BORROWED') ofUser.set(id, dueAt);
    else ofUser.delete(id);
    this.dues.set(userId, ofUser);
  }

  /** Returns the borrow that is due first, and the lowest id among equals. */
  firstDue(userId: number): { readonly borrowId: number; readonly dueAt: Date } | undefined {
    let first: { borrowId: number; dueAt: Date } | undefined;
    for (const [borrowId, dueAt] of this.dues.get(userId) ?? []) {
      const isBefore =
        !first || dueAt < first.dueAt || (+dueAt === +first.dueAt && borrowId < first.borrowId);
      if (isBefore) first = { borrowId, dueAt };
    }
    return first;
  }
}
