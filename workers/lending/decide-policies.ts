import { isDeepStrictEqual } from 'node:util';
import { calendarView } from '../../shared/lending/calendar';
import { CALENDAR, LOAN_RULES } from '../../shared/lending/commands';
import { loanRulesView } from '../../shared/lending/loan-rules';
import { Calendar } from './calendar';
import { accept, eventOf, refuse, type Decided, type Given } from './decided';
import { LoanRules } from './loan-rules';

/** Decisions about what counts for lending as a whole. */

/** Refusal of a change that was made against another version. */
const outdated = (ifVersion: number | null, version: number): Decided | undefined =>
  ifVersion === null || ifVersion === version
    ? undefined
    : refuse(
        'VERSION_MISMATCH',
        'They changed after the version in If-Match. Read them again before you change them.',
      );

export function setLoanRules({
  state,
  command: { payload },
  context,
}: Given<'lending.set-loan-rules'>): Decided {
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
}: Given<'lending.set-calendar'>): Decided {
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
