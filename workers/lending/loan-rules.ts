import { RENEWALS_MAX } from '../../shared/lending/commands';
import { ANY, placeOf, type LoanRule, type LoanRulesRow } from '../../shared/lending/loan-rules';

/** Chooses the loan rule for a reader and a copy. Pure. */

/** The terms for one reader and one kind of copy. */
export interface Terms {
  readonly loanDays: number;
  readonly renewalsMax: number;
  /** 0 for no limit. */
  readonly maxOpenBorrows: number;
  /** The kind whose borrows count towards the limit; `ANY` for all. */
  readonly counted: string;
  /** 0 for no limit. */
  readonly holdsMax: number;
  /** Null: overdue loans never block. */
  readonly blockOverdueDays: number | null;
}

/** The settings that apply where rules say nothing. */
interface Settings {
  readonly loanDays: number;
  readonly maxOpenBorrows: number;
}

/** The loan rules of one version. */
export class LoanRules {
  private readonly byPlace: ReadonlyMap<string, LoanRule>;

  constructor(readonly row: LoanRulesRow) {
    this.byPlace = new Map(row.rules.map((rule) => [placeOf(rule), rule]));
  }

  get isEmpty(): boolean {
    return this.byPlace.size === 0;
  }

  /**
   * Returns whether any rule sets the value. For a `...Max`, 0 means no limit and does not count.
   */
  has(value: 'maxOpenBorrows' | 'holdsMax' | 'blockOverdueDays'): boolean {
    return this.row.rules.some((rule) =>
      value === 'blockOverdueDays' ? rule[value] !== null : (rule[value] ?? 0) > 0,
    );
  }

  /** Returns the terms: those of the most specific rule, and the settings where it says nothing. */
  termsFor(category: string, kind: string, settings: Settings): Terms {
    const rule = this.ruleFor(category, kind);
    const { loanDays = null, renewalsMax = null, maxOpenBorrows = null } = rule ?? {};
    return {
      loanDays: loanDays ?? settings.loanDays,
      renewalsMax: renewalsMax ?? RENEWALS_MAX,
      maxOpenBorrows: maxOpenBorrows ?? settings.maxOpenBorrows,
      counted: maxOpenBorrows === null ? ANY : (rule?.kind ?? ANY),
      holdsMax: rule?.holdsMax ?? 0,
      blockOverdueDays: rule?.blockOverdueDays ?? null,
    };
  }

  /** Finds the most specific rule. A category is more specific than a kind. */
  private ruleFor(category: string, kind: string): LoanRule | undefined {
    if (this.isEmpty) return undefined;
    for (const place of [
      { category, kind },
      { category, kind: ANY },
      { category: ANY, kind },
      { category: ANY, kind: ANY },
    ]) {
      const rule = this.byPlace.get(placeOf(place));
      if (rule) return rule;
    }
    return undefined;
  }
}

/** The rules before any were set. */
export const NO_LOAN_RULES = new LoanRules({ rules: [], version: 0, modifiedAt: null });
