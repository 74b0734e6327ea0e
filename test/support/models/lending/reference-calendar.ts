import type { LendingCommand, LendingCommands } from '../../../../shared/lending/commands';
import { doneBy, refused, type Verdict } from '../verdict';
import type { ReferenceLoanRules } from './reference-loan-rules';

/** The calendar of the reference, which knows the offset of one time zone by heart. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
export const SEOUL = 'Asia/Seoul';
const SEOUL_AHEAD_MS = 9 * HOUR_MS;
const done = doneBy('lending');

type Given = LendingCommands['lending.set-calendar'];

export class ReferenceCalendar {
  private present: Omit<Given, 'ifVersion'> & { version: number; modifiedAt: string | null } = {
    ...{ timeZone: null, closedWeekdays: [], closedDates: [], version: 0, modifiedAt: null },
  };

  get version(): number {
    return this.present.version;
  }

  set({ ifVersion, ...given }: Given, now: Date): Verdict {
    const { version, timeZone, closedWeekdays, closedDates } = this.present;
    const before = { timeZone, closedWeekdays, closedDates };
    if (ifVersion !== null && ifVersion !== version) return refused('VERSION_MISMATCH');
    if (JSON.stringify(given) === JSON.stringify(before)) return done(this.present, []);
    this.present = { ...given, version: version + 1, modifiedAt: now.toISOString() };
    return done(this.present, ['calendar.changed']);
  }

  end(from: Date, days: number): Date {
    const { timeZone, closedWeekdays, closedDates } = this.present;
    const ahead = timeZone === SEOUL ? SEOUL_AHEAD_MS : 0;
    for (let local = new Date(from.getTime() + ahead + days * DAY_MS); ;) {
      const weekday = local.toLocaleDateString('en-US', { timeZone: 'UTC', weekday: 'long' });
      const date = local.toISOString().slice(0, 10);
      const isClosed =
        closedWeekdays.some((closed) => closed === weekday.toUpperCase()) ||
        closedDates.includes(date);
      if (!isClosed)
        return timeZone === null
          ? local
          : new Date(Date.parse(`${date}T23:59:59.999Z`) - SEOUL_AHEAD_MS);
      local = new Date(local.getTime() + DAY_MS);
    }
  }
}

/** Commands about what counts for lending as a whole. */
export function decidePolicy(
  of: { readonly loanRules: ReferenceLoanRules; readonly calendar: ReferenceCalendar },
  command: LendingCommand,
  now: Date,
): Verdict {
  if (command.type === 'lending.set-loan-rules') return of.loanRules.set(command.payload, now);
  if (command.type === 'lending.set-calendar') return of.calendar.set(command.payload, now);
  throw new Error('what stands in the way is compared with the borrow itself');
}
