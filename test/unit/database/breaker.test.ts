import { pino } from 'pino';
import { ConnectionAcquireTimeoutError, ConnectionRefusedError, DatabaseError } from 'sequelize';
import {
  DatabaseUnavailable,
  isDatabaseUnavailable,
  isDatabaseFault,
  tookTooLong,
} from '../../../api/database/unavailable';
import { Breaker, FAILURES_MAX, PROBE_MS } from '../../../api/database/breaker';

const refused = () => Promise.reject(new ConnectionRefusedError(new Error('connect ECONNREFUSED')));
const answered = () => Promise.resolve('answer');
const driver = (fields: object) =>
  new DatabaseError(Object.assign(new Error('driver'), { sql: '', ...fields }));

function rig() {
  const logged: string[] = [];
  const logger = pino(
    { level: 'info' },
    { write: (line: string) => logged.push((JSON.parse(line) as { msg: string }).msg) },
  );
  const probe = jest.fn<Promise<unknown>, []>(refused);
  const breaker = new Breaker(logger, probe);
  const fail = async (times: number) => {
    for (let time = 0; time < times; time += 1)
      await expect(breaker.run(refused)).rejects.toBeInstanceOf(ConnectionRefusedError);
  };
  return { breaker, fail, logged, probe };
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

  it('then fails queries without trying them, however long the database is unavailable', async () => {
    const { breaker, fail, probe } = rig();
    await fail(FAILURES_MAX);
    const work = jest.fn(answered);
    for (let probes = 0; probes < 3; probes += 1) {
      await expect(breaker.run(work)).rejects.toBeInstanceOf(DatabaseUnavailable);
      await jest.advanceTimersByTimeAsync(PROBE_MS);
    }
    expect(work).not.toHaveBeenCalled();
    expect(probe).toHaveBeenCalledTimes(3);
  });

  it('probes with one query at a time, and closes when one is answered', async () => {
    const { breaker, fail, logged, probe } = rig();
    let answer: (value: string) => void = () => undefined;
    probe.mockImplementationOnce(() => new Promise<string>((resolve) => (answer = resolve)));
    await fail(FAILURES_MAX);
    await jest.advanceTimersByTimeAsync(10 * PROBE_MS);
    expect(probe).toHaveBeenCalledTimes(1);
    await expect(breaker.run(answered)).rejects.toBeInstanceOf(DatabaseUnavailable);
    answer('back');
    await jest.advanceTimersByTimeAsync(0);
    expect(await breaker.run(answered)).toBe('answer');
    await jest.advanceTimersByTimeAsync(10 * PROBE_MS);
    expect(probe).toHaveBeenCalledTimes(1);
    expect(logged).toEqual([
      'the database is unavailable: queries fail at once',
      'the database is back',
    ]);
  });

  it('closes also when the database answers with an error, for it is there', async () => {
    const { breaker, fail, probe } = rig();
    probe.mockImplementationOnce(() => Promise.reject(driver({ code: 'ER_QUERY_TIMEOUT' })));
    await fail(FAILURES_MAX);
    await jest.advanceTimersByTimeAsync(PROBE_MS);
    expect(await breaker.run(answered)).toBe('answer');
  });

  it('is not closed by what was under way when it opened', async () => {
    const { breaker, fail } = rig();
    let answer: (value: string) => void = () => undefined;
    const late = breaker.run(() => new Promise<string>((resolve) => (answer = resolve)));
    await fail(FAILURES_MAX);
    answer('late');
    expect(await late).toBe('late');
    await expect(breaker.run(answered)).rejects.toBeInstanceOf(DatabaseUnavailable);
  });

  it('takes an error that the database itself answered for a sign of life', async () => {
    const { breaker, fail } = rig();
    await fail(FAILURES_MAX - 1);
    await expect(
      breaker.run(() => Promise.reject(driver({ code: 'ER_QUERY_TIMEOUT' }))),
    ).rejects.toBeInstanceOf(DatabaseError);
    await fail(FAILURES_MAX - 1);
    expect(await breaker.run(answered)).toBe('answer');
  });
});

describe('the database is unavailable', () => {
  it.each<[string, Error]>([
    ['no connection was free in time', new ConnectionAcquireTimeoutError(new Error('late'))],
    ['it refuses connections', new ConnectionRefusedError(new Error('refused'))],
    ['the connection broke under a query', driver({ code: 'ECONNRESET' })],
    ['the connection cannot be used any more', driver({ fatal: true })],
    ['it was unavailable a moment ago', new DatabaseUnavailable()],
  ])('when %s', (_what, error) => {
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  it.each<[string, Error]>([
    ['a query is wrong', driver({ code: 'ER_PARSE_ERROR' })],
    ['MySQL ended a query', driver({ code: 'ER_QUERY_TIMEOUT' })],
    ['MariaDB ended a query', driver({ errno: 1969 })],
    ['something else is wrong', new Error('bug')],
  ])('but not when %s', (_what, error) => {
    expect(isDatabaseUnavailable(error)).toBe(false);
  });

  it.each<[string, Error]>([
    ['a table is missing', driver({ code: 'ER_NO_SUCH_TABLE' })],
    ['a right was revoked', driver({ code: 'ER_TABLEACCESS_DENIED_ERROR' })],
    ['it takes no writes', driver({ code: 'ER_OPTION_PREVENTS_STATEMENT' })],
    ['a proxy has no server for it', driver({ errno: 9001 })],
    [
      'a table is missing in SQLite',
      driver({ code: 'SQLITE_ERROR', message: 'SQLITE_ERROR: no such table: book' }),
    ],
  ])('differs from a database that answers with a fault, because %s', (_what, error) => {
    expect([isDatabaseUnavailable(error), isDatabaseFault(error)]).toEqual([false, true]);
  });

  it('is at fault neither for a wrong query nor for a bug', () => {
    expect(
      [
        driver({ code: 'ER_PARSE_ERROR' }),
        driver({ code: 'SQLITE_ERROR', message: 'near "x": syntax error' }),
        new Error('no such table'),
      ].map(isDatabaseFault),
    ).toEqual([false, false, false]);
  });

  it('differs from a query that took too long', () => {
    expect(
      [
        driver({ code: 'ER_QUERY_TIMEOUT' }),
        driver({ errno: 1969 }),
        driver({ code: 'ECONNRESET' }),
        new Error('bug'),
      ].map(tookTooLong),
    ).toEqual([true, true, false, false]);
  });
});
