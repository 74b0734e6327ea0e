import type { LendingCommands } from '../../../../shared/lending/commands';
import type { LoanRule } from '../../../../shared/lending/loan-rules';
import { doneBy, refused, type Verdict } from '../verdict';
import type { ReferenceBorrow } from './reference-rows';

/** The loan rules of the reference: a list that is gone through for every question. */

const DAY_MS = 86_400_000;
const RENEWALS_MAX = 2;
const done = doneBy('lending');

export class ReferenceLoanRules {
  private present: { rules: readonly LoanRule[]; version: number; modifiedAt: string | null } = {
    rules: [],
    version: 0,
    modifiedAt: null,
  };

  constructor(
    private readonly settings: { readonly loanDays: number; readonly maxOpenBorrows: number },
    private readonly categoryOf: (userId: number) => string,
  ) {}

  get version(): number {
    return this.present.version;
  }

  set({ rules, ifVersion }: LendingCommands['lending.set-loan-rules'], now: Date): Verdict {
    if (ifVersion !== null && ifVersion !== this.version) return refused('VERSION_MISMATCH');
    if (JSON.stringify(rules) === JSON.stringify(this.present.rules)) return done(this.present, []);
    this.present = { rules, version: this.version + 1, modifiedAt: now.toISOString() };
    return done(this.present, ['loan-rules.changed']);
  }

  loanDays(userId: number, kind: string): number {
    return this.ruleFor(userId, kind).loanDays ?? this.settings.loanDays;
  }

  renewalsMax(userId: number, kind: string): number {
    return this.ruleFor(userId, kind).renewalsMax ?? RENEWALS_MAX;
  }

  holdsMax(userId: number, kind: string): number {
    return this.ruleFor(userId, kind).holdsMax ?? 0;
  }

  /** Returns the refusal of a reader who is too late with something. */
  blocked(
    userId: number,
    kind: string,
    borrows: readonly ReferenceBorrow[],
    now: Date,
  ): Verdict | undefined {
    const days = this.ruleFor(userId, kind).blockOverdueDays ?? Infinity;
    const [late] = borrows
      .filter(({ userId: of, status }) => of === userId && status === 'BORROWED')
      .sort((one, other) => one.dueAt.getTime() - other.dueAt.getTime() || one.id - other.id);
    return late && now.getTime() - late.dueAt.getTime() > days * DAY_MS
      ? refused('OVERDUE_BLOCKED', { borrowId: late.id })
      : undefined;
  }

  /**
   * Returns whether one more of the kind is too much for somebody who has copies of these kinds.
   */
  hasEnough(userId: number, kind: string, kinds: readonly string[]): boolean {
    const rule = this.ruleFor(userId, kind);
    const isOfKind = typeof rule.maxOpenBorrows === 'number' && rule.kind !== '*';
    const counted = isOfKind ? kinds.filter((one) => one === kind) : kinds;
    const limit = rule.maxOpenBorrows ?? this.settings.maxOpenBorrows;
    return limit > 0 && counted.length >= limit;
  }

  /** Returns the rule with the least that is an asterisk; the category counts for more. */
  private ruleFor(userId: number, kind: string): Partial<LoanRule> {
    const points = (rule: LoanRule) =>
      (rule.category === '*' ? 0 : 2) + (rule.kind === '*' ? 0 : 1);
    const fitting = this.present.rules.filter(
      (rule) =>
        ['*', this.categoryOf(userId)].includes(rule.category) && ['*', kind].includes(rule.kind),
    );
    return fitting.sort((one, other) => points(other) - points(one))[0] ?? {};
  }
}
