import { pino } from 'pino';
import { ConnectionAcquireTimeoutError, ConnectionRefusedError, DatabaseError } from 'sequelize';
import { DatabaseAway, isDatabaseAway, tookTooLong } from '../../../api/database/away';
import { Breaker, FAILURES_MAX, OPEN_MS } from '../../../api/database/breaker';

const refused = () => Promise.reject(new ConnectionRefusedError(new Error('connect ECONNREFUSED')));
const answered = () => Promise.resolve('answer');
const driver = (fields: object) => new DatabaseError(Object.assign(new Error('driver'), { sql: '', ...fields }));

function rig() {
  const logged: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => logged.push((JSON.parse(line) as { msg: string }).msg) });
  const breaker = new Breaker(logger);
  const fail = async (times: number) => {
    for (let time = 0; time < times; time += 1) await expect(breaker.run(refused)).rejects.toBeInstanceOf(ConnectionRefusedError);
  };
  return { breaker, fail, logged };
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('the breaker', () => {
  it('lets everything through until so many queries in a row have found no database', async () => {
    const { breaker, fail } = rig();
    await fail(FAILURES_MAX - 1);
    expect(await breaker.run(answered)).toBe('answer');
    await fail(FAILURES_MAX - 1);
    expect(await breaker.run(answered)).toBe('answer');
  });

  it('then fails queries without trying them', async () => {
    const { breaker, fail } = rig();
    await fail(FAILURES_MAX);
    const work = jest.fn(answered);
    await expect(breaker.run(work)).rejects.toBeInstanceOf(DatabaseAway);
    expect(work).not.toHaveBeenCalled();
  });

  it('lets one query through after a moment, alone, and closes when it is answered', async () => {
    const { breaker, fail, logged } = rig();
    await fail(FAILURES_MAX);
    jest.advanceTimersByTime(OPEN_MS);
    let answer: (value: string) => void = () => undefined;
    const probe = breaker.run(() => new Promise<string>((resolve) => (answer = resolve)));
    await expect(breaker.run(answered)).rejects.toBeInstanceOf(DatabaseAway);
    answer('back');
    expect(await probe).toBe('back');
    expect(await breaker.run(answered)).toBe('answer');
    expect(logged).toEqual(['the database is away: queries fail at once', 'the database is back']);
  });

  it('is open no longer when the clock is set back meanwhile', async () => {
    const { breaker, fail } = rig();
    await fail(FAILURES_MAX);
    jest.setSystemTime(Date.now() - 3_600_000);
    jest.advanceTimersByTime(OPEN_MS);
    expect(await breaker.run(answered)).toBe('answer');
  });

  it('stays open for another moment when that query finds no database either', async () => {
    const { breaker, fail, logged } = rig();
    await fail(FAILURES_MAX);
    jest.advanceTimersByTime(OPEN_MS);
    await fail(1);
    await expect(breaker.run(answered)).rejects.toBeInstanceOf(DatabaseAway);
    jest.advanceTimersByTime(OPEN_MS);
    expect(await breaker.run(answered)).toBe('answer');
    expect(logged).toHaveLength(2);
  });

  it('takes an error that the database itself answered for a sign of life', async () => {
    const { breaker, fail } = rig();
    await fail(FAILURES_MAX - 1);
    await expect(breaker.run(() => Promise.reject(driver({ code: 'ER_QUERY_TIMEOUT' })))).rejects.toBeInstanceOf(DatabaseError);
    await fail(FAILURES_MAX - 1);
    expect(await breaker.run(answered)).toBe('answer');
  });
});

describe('the database is away', () => {
  it.each<[string, Error]>([
    ['no connection was free in time', new ConnectionAcquireTimeoutError(new Error('late'))],
    ['it refuses connections', new ConnectionRefusedError(new Error('refused'))],
    ['the connection broke under a query', driver({ code: 'ECONNRESET' })],
    ['the connection cannot be used any more', driver({ fatal: true })],
    ['it was away a moment ago', new DatabaseAway()],
  ])('when %s', (_what, error) => {
    expect(isDatabaseAway(error)).toBe(true);
  });

  it.each<[string, Error]>([
    ['a query is wrong', driver({ code: 'ER_PARSE_ERROR' })],
    ['MySQL ended a query', driver({ code: 'ER_QUERY_TIMEOUT' })],
    ['MariaDB ended a query', driver({ errno: 1969 })],
    ['something else is wrong', new Error('bug')],
  ])('but not when %s', (_what, error) => {
    expect(isDatabaseAway(error)).toBe(false);
  });

  it('is told from a query that took too long', () => {
    expect([driver({ code: 'ER_QUERY_TIMEOUT' }), driver({ errno: 1969 }), driver({ code: 'ECONNRESET' }), new Error('bug')].map(tookTooLong)).toEqual([true, true, false, false]);
  });
});
