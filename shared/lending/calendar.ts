import Joi from 'joi';
import { date } from '../fields';

/** The days on which the library is open, which administrators set. */

/** As `Date.getUTCDay` counts them. */
export const WEEKDAYS = [
  'SUNDAY',
  'MONDAY',
  'TUESDAY',
  'WEDNESDAY',
  'THURSDAY',
  'FRIDAY',
  'SATURDAY',
] as const;
export type Weekday = (typeof WEEKDAYS)[number];

const CLOSED_DATES_MAX = 1000;

export interface OpenDays {
  /** A name of the IANA database. Null for UTC days, on which loans keep their hour. */
  readonly timeZone: string | null;
  readonly closedWeekdays: readonly Weekday[];
  /** `YYYY-MM-DD` */
  readonly closedDates: readonly string[];
}

/** The calendar, how often it was changed, and when last; null for never. */
export interface CalendarRow extends OpenDays {
  readonly version: number;
  readonly modifiedAt: Date | null;
}

export function calendarView(row: CalendarRow) {
  const { timeZone, closedWeekdays, closedDates, version, modifiedAt } = row;
  return {
    ...{ timeZone, closedWeekdays, closedDates, version },
    modifiedAt: modifiedAt?.toISOString() ?? null,
  };
}
export type CalendarView = ReturnType<typeof calendarView>;

export const NO_CALENDAR: CalendarRow = {
  ...{ timeZone: null, closedWeekdays: [], closedDates: [], version: 0, modifiedAt: null },
};

function isTimeZone(timeZone: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone.length > 0;
  } catch {
    return false;
  }
}

/** The fields of a request and of a payload. At least one weekday is open. */
export const calendarFields = {
  timeZone: Joi.string()
    .max(64)
    .pattern(/^[A-Za-z]/, 'a name')
    .custom((value: string, helpers) => (isTimeZone(value) ? value : helpers.error('zone.unknown')))
    .meta({ schema: { description: 'A time zone of the IANA database, such as `Asia/Seoul`.' } })
    .messages({
      'string.pattern.name': '{{#label}} must be a time zone such as Asia/Seoul',
      'zone.unknown': '{{#label}} must be a time zone such as Asia/Seoul',
    })
    .allow(null)
    .required(),
  closedWeekdays: Joi.array()
    .items(Joi.string().valid(...WEEKDAYS))
    .max(WEEKDAYS.length - 1)
    .unique()
    .optional()
    .default([]),
  closedDates: Joi.array().items(date).max(CLOSED_DATES_MAX).unique().optional().default([]),
};
