import { WEEKDAYS, type CalendarView } from '../../shared/lending/calendar';
import type { LoanRule, LoanRulesView } from '../../shared/lending/loan-rules';
import { arrayOf, count, day, id, instant, nullable, object, oneOf, text } from '../openapi/schema';

/** Loan rules and the calendar as clients see them, for the document. */

const loanRule = object<LoanRule>(
  'LoanRule',
  {
    category: text,
    kind: text,
    loanDays: nullable(id),
    renewalsMax: nullable(count),
    maxOpenBorrows: nullable(count),
    holdsMax: nullable(count),
    blockOverdueDays: nullable(count),
  },
  {
    ...{ category: 'student', kind: '*', loanDays: 28, renewalsMax: null },
    ...{ maxOpenBorrows: null, holdsMax: 5, blockOverdueDays: 14 },
  },
);
export const loanRulesSchema = object<LoanRulesView>('LoanRules', {
  rules: arrayOf(loanRule),
  version: count,
  modifiedAt: nullable(instant),
});

export const calendarSchema = object<CalendarView>(
  'Calendar',
  {
    timeZone: nullable(text),
    closedWeekdays: arrayOf(oneOf(WEEKDAYS)),
    closedDates: arrayOf(day),
    version: count,
    modifiedAt: nullable(instant),
  },
  {
    ...{ timeZone: 'Asia/Seoul', closedWeekdays: ['MONDAY'], closedDates: ['2026-12-25'] },
    ...{ version: 1, modifiedAt: '2026-03-02T10:00:00.000Z' },
  },
);
