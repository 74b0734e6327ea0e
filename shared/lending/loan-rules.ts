import Joi from 'joi';
import { line } from '../fields';

/**
 * Loan rules that administrators set for categories of readers and kinds of copies. The most
 * specific rule counts for a reader and a copy. Its null values stand for the settings of the
 * installation.
 */

/** Stands for any category, or for any kind. */
export const ANY = '*';
/** The kind of a copy by default. */
export const DEFAULT_KIND = 'book';
/** The category of a reader by default. */
export const DEFAULT_CATEGORY = 'general';

const RULES_MAX = 200;
const COUNT_MAX = 10_000;

export interface LoanRule {
  readonly category: string;
  readonly kind: string;
  readonly loanDays: number | null;
  readonly renewalsMax: number | null;
  /** Counts copies of the rule's kind. 0 for no limit. */
  readonly maxOpenBorrows: number | null;
  /** Counts holds on all titles. 0 for no limit. */
  readonly holdsMax: number | null;
  /** A loan that is overdue for longer blocks its reader. Null for never. */
  readonly blockOverdueDays: number | null;
}

/** The rules, how often they were changed, and when last; null for never. */
export interface LoanRulesRow {
  readonly rules: readonly LoanRule[];
  readonly version: number;
  readonly modifiedAt: Date | null;
}

export function loanRulesView({ rules, version, modifiedAt }: LoanRulesRow) {
  return { rules, version, modifiedAt: modifiedAt?.toISOString() ?? null };
}
export type LoanRulesView = ReturnType<typeof loanRulesView>;

/**
 * Returns the readers and copies that a rule is for, as one text. Also takes values that are no
 * rules.
 */
export const placeOf = (given: Pick<LoanRule, 'category' | 'kind'> | null): string =>
  JSON.stringify([given?.category, given?.kind]);

/** The name of a kind of copy in loan rules. */
export const kind = line(64).invalid(ANY);

const whole = (min: number, max: number) =>
  Joi.number().integer().min(min).max(max).strict().allow(null).default(null);

const rule = Joi.object<LoanRule>({
  category: line(64).required(),
  kind: line(64).required(),
  loanDays: whole(1, 365),
  renewalsMax: whole(0, 100),
  maxOpenBorrows: whole(0, COUNT_MAX),
  holdsMax: whole(0, COUNT_MAX),
  blockOverdueDays: whole(0, 3650),
});

/** The rules of a request and of a payload. */
export const loanRules = Joi.array()
  .items(rule)
  .max(RULES_MAX)
  .unique((one: LoanRule, other: LoanRule) => placeOf(one) === placeOf(other))
  .messages({ 'array.unique': '{{#label}} is for the same category and kind as another rule' });
