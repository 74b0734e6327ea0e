import { NO_CALENDAR, WEEKDAYS, type CalendarRow } from '../../shared/lending/calendar';

/** Computes when a number of days ends, by the calendar of the library. Pure. */

const DAY_MS = 24 * 3600 * 1000;

/** Wall clock time: the milliseconds that UTC would have at the same date and hour. */
type Wall = number;

const startOfDay = (wall: Wall): Wall => Math.floor(wall / DAY_MS) * DAY_MS;

/** The clocks of one time zone. */
class Clocks {
  private readonly format: Intl.DateTimeFormat;

  constructor(timeZone: string) {
    this.format = new Intl.DateTimeFormat('en-US', {
      ...{ timeZone, hourCycle: 'h23', era: 'short' },
      ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
      ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
    });
  }

  wallAt(instant: number): Wall {
    const shown = Object.fromEntries(
      this.format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
    ) as Record<string, number>;
    const { year = NaN, month = NaN, day = NaN, hour = NaN, minute = NaN, second = NaN } = shown;
    const millisecond = ((instant % 1000) + 1000) % 1000;
    return Date.UTC(year, month - 1, day, hour, minute, second, millisecond);
  }

  /**
   * Returns the last instant of the day that begins at `day`. Midnight may come twice or not at all
   * when clocks change, so both offsets near it are tried.
   */
  endOf(day: Wall): number {
    const midnight = day + DAY_MS;
    const ends = [midnight - DAY_MS, midnight + DAY_MS].map(
      (near) => midnight - (this.wallAt(near) - near) - 1,
    );
    const fitting = ends.filter((end) => startOfDay(this.wallAt(end)) === day);
    return Math.max(...(fitting.length > 0 ? fitting : ends));
  }
}

/** The calendar of one version. */
export class Calendar {
  private readonly weekdays: ReadonlySet<string>;
  private readonly dates: ReadonlySet<string>;
  private readonly clocks: Clocks | null;

  constructor(readonly row: CalendarRow) {
    this.weekdays = new Set(row.closedWeekdays);
    this.dates = new Set(row.closedDates);
    this.clocks = row.timeZone === null ? null : new Clocks(row.timeZone);
  }

  /**
   * Returns the end of a period of this many days: the close of the last day, or of the next open
   * one. Without a time zone it keeps its hour.
   */
  end(from: Date, days: number): Date {
    const { clocks } = this;
    if (!clocks) return new Date(this.open(from.getTime() + days * DAY_MS));
    const wall = clocks.wallAt(from.getTime()) + days * DAY_MS;
    return new Date(clocks.endOf(startOfDay(this.open(wall))));
  }

  /** Returns the same hour of the first open day. */
  private open(wall: Wall): Wall {
    let open = wall;
    while (this.isClosed(open)) open += DAY_MS;
    return open;
  }

  private isClosed(wall: Wall): boolean {
    if (this.weekdays.size === 0 && this.dates.size === 0) return false;
    const day = new Date(wall);
    return (
      this.weekdays.has(WEEKDAYS[day.getUTCDay()] as string) ||
      this.dates.has(day.toISOString().slice(0, 10))
    );
  }
}

/** The calendar before one was set. */
export const ALWAYS_OPEN = new Calendar(NO_CALENDAR);
