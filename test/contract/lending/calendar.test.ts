import { openLibrary, succeeded, type Library } from '../../support/clients/books';
import { startService } from '../../support/service/start-service';
import { expectFaults, expectProblem } from '../../support/clients/problems';

/** GET and PUT /api/calendar, in a service of its own, for its days are those of all readers. */

const DAY_MS = 24 * 3600 * 1000;
const ZONE = 'Asia/Seoul';
const LOAN_DAYS = 14;
const PICKUP_DAYS = 3;

let library: Library;
beforeAll(async () => {
  library = await openLibrary(
    (await startService({ env: { HOLD_PICKUP_DAYS: String(PICKUP_DAYS) } })).target,
  );
}, 120_000);

const put = (calendar: object, headers = {}) =>
  library.manage('put', '/api/calendar', calendar, headers);
const set = async (calendar: object): Promise<{ readonly version: number }> =>
  succeeded(await put(calendar), 200);

/** The date in Seoul, some days after an instant. */
const dateAfter = (instant: string, days: number) =>
  new Date(Date.parse(instant) + days * DAY_MS).toLocaleDateString('en-CA', { timeZone: ZONE });
/** The last millisecond of a date in Seoul. */
const closeOf = (date: string) => new Date(`${date}T23:59:59.999+09:00`).toISOString();

describe('the calendar', () => {
  it('is shown to anyone, as it was set, with a version that counts its changes', async () => {
    expect(succeeded(await library.call('get', '/api/calendar'), 200)).toEqual({
      ...{ timeZone: null, closedWeekdays: [], closedDates: [], version: 0, modifiedAt: null },
    });
    const given = { timeZone: ZONE, closedWeekdays: ['MONDAY'], closedDates: ['2026-12-25'] };
    const after = await set(given);
    expect(after).toEqual({ ...given, version: 1, modifiedAt: expect.any(String) });
    for (const shown of await library.readEverywhere('/api/calendar')) {
      expect(shown.body).toEqual(after);
      expect(shown.headers['etag']).toBe('"1"');
    }
    expect(await set(given)).toEqual(after);
  });

  it('is set for the version that If-Match names, else 412', async () => {
    const { version } = await set({ timeZone: 'UTC', closedDates: ['2026-01-01'] });
    const stale = await put({ timeZone: null }, { 'If-Match': `"${version - 1}"` });
    expectProblem(stale, 412, 'VERSION_MISMATCH');
    const changed = await put({ timeZone: null }, { 'If-Match': `"${version}"` });
    expect(succeeded(changed, 200)).toMatchObject({ timeZone: null, version: version + 1 });
  });

  it('is checked: 400 for an invalid time zone, weekday or date, and without an open weekday', async () => {
    const weekdays = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];
    expectFaults(await put({}), { timeZone: 'REQUIRED' });
    expectFaults(await put({ timeZone: 'Mars/Olympus' }), { timeZone: 'INVALID_VALUE' });
    expectFaults(await put({ timeZone: 'UTC', closedWeekdays: weekdays }), {
      closedWeekdays: 'TOO_LONG',
    });
    const twice = ['2026-12-25', '2026-12-25'];
    expectFaults(await put({ timeZone: 'UTC', closedWeekdays: ['Monday'], closedDates: twice }), {
      'closedWeekdays.0': 'INVALID_VALUE',
      'closedDates.1': 'DUPLICATE',
    });
    expectFaults(await put({ timeZone: 'UTC', closedDates: ['2026-02-30'] }), {
      'closedDates.0': 'INVALID_FORMAT',
    });
  });
});

describe('a borrow', () => {
  it('is due at the close of the next open day, by the calendar that was set just before', async () => {
    const [reader, now] = [library.newReader(), new Date().toISOString()];
    await set({ timeZone: ZONE, closedDates: [14, 15, 16].map((days) => dateAfter(now, days)) });
    const { bookInfoId } = await library.single();
    const { borrowId, dueAt } = await library.borrowed(reader, { bookInfoId });
    expect(dueAt).toBe(closeOf(dateAfter(now, 17)));
    await set({ timeZone: ZONE });
    expect(succeeded(await library.renew(reader, borrowId), 200)).toMatchObject({
      dueAt: closeOf(dateAfter(dueAt, LOAN_DAYS)),
    });
    const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: ZONE })
      .format(Date.parse(now) + LOAN_DAYS * DAY_MS)
      .toUpperCase();
    await set({ timeZone: ZONE, closedWeekdays: [weekday] });
    const third = await library.borrowed(library.newReader(), {
      bookInfoId: (await library.single()).bookInfoId,
    });
    expect(third.dueAt).toBe(closeOf(dateAfter(now, LOAN_DAYS + 1)));
    await set({ timeZone: null });
    const other = await library.borrowed(library.newReader(), {
      bookInfoId: (await library.single()).bookInfoId,
    });
    expect(Date.parse(other.dueAt) - Date.parse(other.borrowedAt)).toBe(LOAN_DAYS * DAY_MS);
  });
});

describe('a hold', () => {
  it('is set aside until the close of the next open day', async () => {
    const [borrower, reader] = [library.newReader(), library.newReader()];
    const now = new Date().toISOString();
    await set({ timeZone: ZONE, closedDates: [3, 4].map((days) => dateAfter(now, days)) });
    const { bookInfoId } = await library.single();
    await library.borrowed(borrower, { bookInfoId });
    const { holdId } = succeeded(await library.placeHold(reader, bookInfoId), 201) as {
      holdId: number;
    };
    await library.returned(borrower, { bookInfoId });
    const path = `/api/holds/${holdId}`;
    expect(succeeded(await library.call('get', path, { token: reader.token }), 200)).toMatchObject({
      status: 'READY',
      expiresAt: closeOf(dateAfter(now, PICKUP_DAYS + 2)),
    });
  });
});
