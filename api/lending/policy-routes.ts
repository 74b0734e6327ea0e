import Joi from 'joi';
import type { Cache } from '../../shared/cache/cache';
import { calendarFields, type OpenDays } from '../../shared/lending/calendar';
import { CALENDAR, LOAN_RULES } from '../../shared/lending/commands';
import { loanRules, type LoanRule } from '../../shared/lending/loan-rules';
import { lendingCacheKeys, policyEtag } from '../../shared/lending/views';
import type { Draft, Endpoint, Input } from '../http/endpoint';
import { changed, tagged } from '../openapi/doc';
import { cachedEntity } from '../reads/cached-entity';
import { expectedPolicyVersion } from './if-match';
import { findCalendar, findLoanRules } from './queries';
import { calendarSchema, loanRulesSchema } from './policy-schemas';

/** What administrators set about lending as a whole. */

/** A last resort, milliseconds: a worker's bump ends a view as soon as it is old. */
const KEPT_MS = 300_000;

const getLoanRules = (cache: Cache): Endpoint => ({
  method: 'get',
  path: '/api/loan-rules',
  who: 'public',
  kind: 'read',
  doc: {
    id: 'getLoanRules',
    tag: 'Borrows',
    summary: 'The loan rules',
    description:
      'For a reader and a copy the most specific rule counts; `*` is any. A rule for a category is more specific than one for a kind, and one for both more than either. Where its value is null, or no rule fits, the settings of the installation count.',
    answers: tagged(loanRulesSchema),
  },
  handle: () => {
    const subject = lendingCacheKeys.loanRules;
    return cachedEntity(
      cache,
      { view: subject, subject, ttlMs: KEPT_MS },
      findLoanRules,
      policyEtag,
    );
  },
});

const setLoanRules: Endpoint = {
  method: 'put',
  path: '/api/loan-rules',
  who: 'admin',
  kind: 'write',
  body: Joi.object({ rules: loanRules.required() }),
  doc: {
    id: 'setLoanRules',
    tag: 'Borrows',
    summary: 'Set the loan rules',
    description:
      'Replaces all rules, from the next command on. `maxOpenBorrows` counts the borrows of the kind that the rule names, `holdsMax` all holds of the reader; 0 is no limit. A loan that is overdue for more than `blockOverdueDays` keeps its reader from borrows and holds; null never does.',
    answers: changed(loanRulesSchema),
    problems: ['VERSION_MISMATCH'],
    ifMatch: true,
    example: {
      rules: [
        { category: '*', kind: 'dvd', loanDays: 7, renewalsMax: 0, maxOpenBorrows: 2 },
        { category: 'student', kind: '*', loanDays: 28, holdsMax: 5, blockOverdueDays: 14 },
      ],
    },
  },
  etag: (result) => policyEtag(result as { version: number }),
  command: async (input: Input<{ readonly rules: LoanRule[] }>): Promise<Draft> => ({
    type: 'lending.set-loan-rules',
    key: LOAN_RULES,
    payload: {
      rules: input.body.rules,
      ifVersion: await expectedPolicyVersion(input.header('if-match'), findLoanRules),
    },
  }),
};

const getCalendar = (cache: Cache): Endpoint => ({
  method: 'get',
  path: '/api/calendar',
  who: 'public',
  kind: 'read',
  doc: {
    id: 'getCalendar',
    tag: 'Borrows',
    summary: 'The calendar of the library',
    description:
      'Loans, and the days for which a copy is set aside, end at the close of an open day in `timeZone`. Without a time zone they end at the hour at which they began, and days are those of UTC.',
    answers: tagged(calendarSchema),
  },
  handle: () => {
    const subject = lendingCacheKeys.calendar;
    return cachedEntity(
      cache,
      { view: subject, subject, ttlMs: KEPT_MS },
      findCalendar,
      policyEtag,
    );
  },
});

const setCalendar: Endpoint = {
  method: 'put',
  path: '/api/calendar',
  who: 'admin',
  kind: 'write',
  body: Joi.object(calendarFields),
  doc: {
    id: 'setCalendar',
    tag: 'Borrows',
    summary: 'Set the calendar of the library',
    description:
      'Replaces the calendar, from the next command on. Loans and holds keep the dates that they have.',
    answers: changed(calendarSchema),
    problems: ['VERSION_MISMATCH'],
    ifMatch: true,
    example: {
      ...{ timeZone: 'Asia/Seoul', closedWeekdays: ['MONDAY'] },
      ...{ closedDates: ['2026-12-25', '2027-01-01'] },
    },
  },
  etag: (result) => policyEtag(result as { version: number }),
  command: async (input: Input<OpenDays>): Promise<Draft> => ({
    type: 'lending.set-calendar',
    key: CALENDAR,
    payload: {
      ...input.body,
      ifVersion: await expectedPolicyVersion(input.header('if-match'), findCalendar),
    },
  }),
};

export const policyEndpoints = (cache: Cache): Endpoint[] => [
  getLoanRules(cache),
  setLoanRules,
  getCalendar(cache),
  setCalendar,
];
