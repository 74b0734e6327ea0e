import Joi from 'joi';
import { line } from '../fields';

/**
 * Rules of lending that administrators set for categories of readers and kinds of copies. One rule
 * counts for a reader and a copy, the most particular one. In its place a value of null stands for
 * the setting of the installation.
 */

/** Stands for any category, or for any kind. */
export const ANY = '*';
/** The kind of a copy of which nobody has said another. */
export const DEFAULT_KIND = 'book';
/** The category of a reader of whom nobody has said another. */
export const DEFAULT_CATEGORY = 'general';

const RULES_MAX = 200;
const COUNT_MAX = 10_000;

export interface LoanRule {
  readonly category: string;
  readonly kind: string;
  readonly loanDays: number | null;
  readonly renewalsMax: number | null;
  /** Of copies that the rule's kind means; 0 for no limit. */
  readonly maxOpenBorrows: number | null;
  /** Holds on all titles together; 0 for no limit. */
  readonly holdsMax: number | null;
  /** A loan that is overdue for longer blocks its reader; null for never. */
  readonly blockOverdueDays: number | null;
}

/** Rules with how often they were changed, and when last; null for never. */
export interface LoanRulesRow {
  readonly rules: readonly LoanRule[];
  readonly version: number;
  readonly modifiedAt: Date | null;
}

export function loanRulesView({ rules, version, modifiedAt }: LoanRulesRow) {
  return { rules, version, modifiedAt: modifiedAt?.toISOString() ?? null };
}
export type LoanRulesView = ReturnType<typeof loanRulesView>;

/** Which readers and copies a rule is for, as one text; of what is no rule too. */
export const placeOf = (given: Pick<LoanRule, 'category' | 'kind'> | null): string =>
  JSON.stringify([given?.category, given?.kind]);

/** What a copy is called in loan rules. */
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
