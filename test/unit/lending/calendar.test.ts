import type { OpenDays } from '../../../shared/lending/calendar';
import { Calendar } from '../../../workers/lending/calendar';
import {
  borrow,
  giveBack,
  placeHold,
  renew,
  setCalendar,
} from '../../support/models/lending/commands';
import { later, libraryWith, libraryWithLoan, NOW } from '../../support/models/lending/library';

/** When loans and pick-ups end by the calendar. */

const calendar = (given: Partial<OpenDays>) =>
  new Calendar({
    ...{ timeZone: null, closedWeekdays: [], closedDates: [], version: 1, modifiedAt: NOW },
    ...given,
  });
const ends = (given: Partial<OpenDays>, from: string, days: number) =>
  calendar(given).end(new Date(from), days).toISOString();

describe('days', () => {
  it('end at the hour at which they began where no time zone is set', () => {
    expect(ends({}, '2026-03-02T10:00:00.000Z', 14)).toBe('2026-03-16T10:00:00.000Z');
    expect(ends({}, '2026-03-02T10:00:00.000Z', 0.5)).toBe('2026-03-02T22:00:00.000Z');
    expect(ends({ closedDates: ['2026-03-16'] }, '2026-03-02T10:00:00.000Z', 14)).toBe(
      '2026-03-17T10:00:00.000Z',
    );
  });

  it('end at the close of the last one, in the time zone of the library', () => {
    const seoul = { timeZone: 'Asia/Seoul' };
    expect(ends(seoul, '2026-03-02T14:59:59.999Z', 1)).toBe('2026-03-03T14:59:59.999Z');
    expect(ends(seoul, '2026-03-02T15:00:00.000Z', 1)).toBe('2026-03-04T14:59:59.999Z');
    expect(ends({ timeZone: 'America/New_York' }, '2026-03-02T03:00:00.000Z', 1)).toBe(
      '2026-03-03T04:59:59.999Z',
    );
  });

  it('continue to the next open day, past closed weekdays and dates', () => {
    const closed = {
      timeZone: 'Europe/Berlin',
      closedWeekdays: ['SATURDAY', 'SUNDAY'] as const,
      closedDates: ['2026-12-25', '2026-12-28'],
    };
    // Christmas on a Friday, the weekend, and a Monday; open again on Tuesday.
    expect(ends(closed, '2026-12-11T10:00:00.000Z', 14)).toBe('2026-12-29T22:59:59.999Z');
    expect(ends(closed, '2026-12-10T10:00:00.000Z', 14)).toBe('2026-12-24T22:59:59.999Z');
  });

  it.each([
    ['clocks are put on: the day is 23 hours long', 'Europe/Berlin', '2026-03-28T23:30:00Z', 0],
    ['clocks are put back', 'Europe/Berlin', '2026-10-24T22:30:00Z', 0],
    ['midnight does not come', 'Africa/Cairo', '2026-04-23T10:00:00Z', 0],
    ['midnight does not come on the last day', 'Asia/Beirut', '2026-03-27T10:00:00Z', 1],
    ['the hour before midnight comes twice', 'Africa/Cairo', '2026-10-29T10:00:00Z', 0],
    ['midnight comes twice', 'America/Havana', '2026-10-31T12:00:00Z', 1],
  ])('end in the last millisecond of the day when %s', (_, timeZone, from, days) => {
    const end = calendar({ timeZone }).end(new Date(from), days);
    const date = (at: number) =>
      new Date(at).toLocaleDateString('en-CA', { timeZone, dateStyle: 'short' });
    const day = new Date(`${date(Date.parse(from))}T00:00:00Z`);
    day.setUTCDate(day.getUTCDate() + days);
    expect(date(end.getTime())).toBe(day.toISOString().slice(0, 10));
    expect(date(end.getTime() + 1)).not.toBe(date(end.getTime()));
  });

  it('are not shortened when the clocks are put on before the last one', () => {
    expect(ends({ timeZone: 'Europe/Berlin' }, '2026-03-20T22:30:00.000Z', 14)).toBe(
      '2026-04-03T21:59:59.999Z',
    );
  });
});

describe('the calendar', () => {
  // The 13th of March 2024 is a Wednesday.
  const closed = setCalendar({ timeZone: 'UTC', closedWeekdays: ['WEDNESDAY'] });
  const close = new Date(Date.parse('2024-03-14T23:59:59.999Z')).toISOString();

  it('says when a borrow is due, a renewed one too', () => {
    const library = libraryWith(1);
    library.done(closed);
    expect(library.done(borrow(1, 1))).toMatchObject({ dueAt: close });
    const other = libraryWithLoan(1, { dueAt: later(-0.5) });
    other.done(closed);
    expect(other.done(renew(1, 1, 50))).toMatchObject({ dueAt: close });
  });

  it('says until when a copy is set aside', () => {
    const library = libraryWithLoan(1);
    library.done(setCalendar({ timeZone: 'UTC', closedDates: ['2024-03-02', '2024-03-03'] }));
    const { holdId } = library.done(placeHold(2, 1)) as { holdId: number };
    library.done(giveBack(1, 1));
    expect(library.state.holds.hold(holdId)?.expiresAt?.toISOString()).toBe(
      '2024-03-04T23:59:59.999Z',
    );
  });

  it('is published once, and not when nothing changes', () => {
    const library = libraryWith(0);
    const view = {
      ...{ timeZone: 'UTC', closedWeekdays: ['WEDNESDAY'], closedDates: [] },
      version: 1,
      modifiedAt: NOW.toISOString(),
    };
    expect(library.decide(closed)).toMatchObject({
      result: view,
      events: [{ type: 'lending.calendar.changed', aggregateId: 'calendar', data: view }],
    });
    expect(library.decide(closed)).toMatchObject({ result: view, events: [] });
    expect(library.refusal(setCalendar({}, 0))).toBe('VERSION_MISMATCH');
  });
});
