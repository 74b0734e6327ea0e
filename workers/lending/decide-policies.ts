import { isDeepStrictEqual } from 'node:util';
import { calendarView } from '../../shared/lending/calendar';
import { CALENDAR, LOAN_RULES } from '../../shared/lending/commands';
import { loanRulesView } from '../../shared/lending/loan-rules';
import { Calendar } from './calendar';
import { accept, eventOf, refuse, type LendingDecision, type LendingInput } from './decided';
import { LoanRules } from './loan-rules';

/** Decisions about loan rules and the calendar. */

/** Refusal of a change that was made against another version. */
const outdated = (ifVersion: number | null, version: number): LendingDecision | undefined =>
  ifVersion === null || ifVersion === version
    ? undefined
    : refuse(
        'VERSION_MISMATCH',
        'This resource changed after the version in If-Match. Read it again before you change it.',
      );

export function setLoanRules({
  state,
  command: { payload },
  context,
}: LendingInput<'lending.set-loan-rules'>): LendingDecision {
  const { rules, ifVersion } = payload;
  const before = state.policies.loanRules.row;
  const refusal = outdated(ifVersion, before.version);
  if (refusal) return refusal;
  if (isDeepStrictEqual(rules, before.rules)) return accept(loanRulesView(before), {}, []);
  const after = new LoanRules({ rules, version: before.version + 1, modifiedAt: context.now });
  const view = loanRulesView(after.row);
  return accept(view, { loanRules: after }, [
    eventOf('lending.loan-rules.changed', LOAN_RULES, view),
  ]);
}

export function setCalendar({
  state,
  command: { payload },
  context,
}: LendingInput<'lending.set-calendar'>): LendingDecision {
  const { ifVersion, ...openDays } = payload;
  const { version, modifiedAt, ...before } = state.policies.calendar.row;
  const refusal = outdated(ifVersion, version);
  if (refusal) return refusal;
  if (isDeepStrictEqual(openDays, before))
    return accept(calendarView({ ...before, version, modifiedAt }), {}, []);
  const after = new Calendar({ ...openDays, version: version + 1, modifiedAt: context.now });
  const view = calendarView(after.row);
  return accept(view, { calendar: after }, [eventOf('lending.calendar.changed', CALENDAR, view)]);
}
