import { AcceptanceUnknown, NotAccepted } from '../../../shared/messaging/transport';
import { FencedOut } from '../../../workers/batch/fence';
import { nextStep, retryPauseMs } from '../../../workers/batch/retry';

const coded = (code: string) => Object.assign(new Error('from the driver'), { code });
const fromSequelize = (name: string, inner: Error) => Object.assign(new Error('from Sequelize'), { name, parent: inner, original: inner });

describe('what happens next after an error', () => {
  it.each(['ER_LOCK_DEADLOCK', 'ER_LOCK_WAIT_TIMEOUT', 'PROTOCOL_CONNECTION_LOST', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ER_CON_COUNT_ERROR', 'ER_SERVER_SHUTDOWN', 'SQLITE_BUSY', 'SQLITE_FULL'])(
    '%s says nothing about the commands: the same again, also from inside of a Sequelize error',
    (code) => {
      expect(nextStep(coded(code))).toBe('retry');
      expect(nextStep(fromSequelize('SequelizeDatabaseError', coded(code)))).toBe('retry');
    },
  );

  it('a connection that is closed, killed or not to be had is no fault of a command', () => {
    expect(nextStep(Object.assign(new Error("Can't add new command when connection is in closed state"), { fatal: true }))).toBe('retry');
    expect(nextStep(Object.assign(new Error('Connection was killed'), { code: undefined, errno: 1927 }))).toBe('retry');
    for (const name of ['SequelizeConnectionError', 'SequelizeConnectionRefusedError', 'SequelizeConnectionAcquireTimeoutError', 'SequelizeHostNotFoundError', 'SequelizeAccessDeniedError']) {
      expect(nextStep(Object.assign(new Error('no connection'), { name }))).toBe('retry');
    }
  });

  it('a broker that did not take a forwarded command is asked again', () => {
    expect(nextStep(new NotAccepted('full'))).toBe('retry');
    expect(nextStep(new AcceptanceUnknown('no confirm'))).toBe('retry');
  });

  it.each(['ER_DUP_ENTRY', 'SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY'])('%s makes the batch decide again', (code) => {
    expect(nextStep(coded(code))).toBe('redo');
    expect(nextStep(fromSequelize('SequelizeUniqueConstraintError', coded(code)))).toBe('redo');
  });

  it('a batch that is fenced out gives up what is not its own', () => {
    expect(nextStep(new FencedOut('taken over'))).toBe('fenced');
  });

  it('everything else is looked for in the commands', () => {
    for (const error of [new TypeError('x is undefined'), coded('ER_DATA_TOO_LONG'), coded('ER_CONSTRAINT_FAILED'), coded('SQLITE_CONSTRAINT_CHECK'), coded('ER_PARSE_ERROR'), 'a string', undefined, null]) {
      expect(nextStep(error)).toBe('isolate');
    }
  });
});

it('the pause before a retry grows from 50 ms to 2 s and no further', () => {
  expect([0, 1, 2, 5, 6, 1000].map(retryPauseMs)).toEqual([50, 100, 200, 1600, 2000, 2000]);
});
