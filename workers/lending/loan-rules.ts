import { RENEWALS_MAX } from '../../shared/lending/commands';
import { ANY, placeOf, type LoanRule, type LoanRulesRow } from '../../shared/lending/loan-rules';

/** Which loan rule counts for a reader and a copy. Pure. */

/** What counts for one reader and one kind of copies. */
export interface Terms {
  readonly loanDays: number;
  readonly renewalsMax: number;
  /** 0 for no limit. */
  readonly maxOpenBorrows: number;
  /** The kind whose borrows count towards the limit; `ANY` for all. */
  readonly counted: string;
  /** 0 for no limit. */
  readonly holdsMax: number;
  /** Null: no overdue loan is in the way. */
  readonly blockOverdueDays: number | null;
}

/** What stands behind the rules. */
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

  /** Whether any rule has the value; 0 is no limit of a `...Max`, and a number of days. */
  has(value: 'maxOpenBorrows' | 'holdsMax' | 'blockOverdueDays'): boolean {
    return this.row.rules.some((rule) =>
      value === 'blockOverdueDays' ? rule[value] !== null : (rule[value] ?? 0) > 0,
    );
  }

  /** What counts: the most particular rule, and the settings where it says nothing. */
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

  /** A category is more particular than a kind. */
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

/** Before any were set. */
export const NO_LOAN_RULES = new LoanRules({ rules: [], version: 0, modifiedAt: null });
