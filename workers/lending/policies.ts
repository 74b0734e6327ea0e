import { ALWAYS_OPEN, type Calendar } from './calendar';
import { NO_LOAN_RULES, type LoanRules } from './loan-rules';

/** What administrators set about lending as a whole. */
export interface Policies {
  readonly loanRules: LoanRules;
  readonly calendar: Calendar;
}

/** The policies before any were set. */
export const NO_POLICIES: Policies = { loanRules: NO_LOAN_RULES, calendar: ALWAYS_OPEN };

/** Returns the policies after changes. */
export const afterChanges = (before: Policies, changes: Partial<Policies>): Policies => ({
  loanRules: changes.loanRules ?? before.loanRules,
  calendar: changes.calendar ?? before.calendar,
});

/** Returns the policies that differ. */
export const changedOnes = (before: Policies, after: Policies): Partial<Policies> => ({
  ...(after.loanRules !== before.loanRules && { loanRules: after.loanRules }),
  ...(after.calendar !== before.calendar && { calendar: after.calendar }),
});
