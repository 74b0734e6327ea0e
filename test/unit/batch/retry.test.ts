import { AcceptanceUnknown, NotAccepted } from '../../../shared/messaging/transport';
import { FencedOut } from '../../../workers/batch/ownership/fence';
import {
  blamingCommands,
  IdsUsedUp,
  nextStep,
  reasonOf,
  retryPauseMs,
} from '../../../workers/batch/failures/retry';

const coded = (code: string) => Object.assign(new Error('from the driver'), { code });
const fromSequelize = (name: string, inner: Error) =>
  Object.assign(new Error('from Sequelize'), { name, parent: inner, original: inner });

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('what happens next after an error', () => {
  it.each([
    'ER_LOCK_DEADLOCK',
    'ER_LOCK_WAIT_TIMEOUT',
    'PROTOCOL_CONNECTION_LOST',
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ER_CON_COUNT_ERROR',
    'ER_SERVER_SHUTDOWN',
    'SQLITE_BUSY',
    'SQLITE_FULL',
  ])('retries the same batch after %s, even inside of a Sequelize error', (code) => {
    expect(nextStep(coded(code))).toBe('retry');
    expect(nextStep(fromSequelize('SequelizeDatabaseError', coded(code)))).toBe('retry');
  });

  it('a connection that is closed, killed or unavailable is not blamed on a command', () => {
    expect(
      nextStep(
        Object.assign(new Error("Can't add new command when connection is in closed state"), {
          fatal: true,
        }),
      ),
    ).toBe('retry');
    expect(
      nextStep(Object.assign(new Error('Connection was killed'), { code: undefined, errno: 1927 })),
    ).toBe('retry');
    for (const name of [
      'SequelizeConnectionError',
      'SequelizeConnectionRefusedError',
      'SequelizeConnectionAcquireTimeoutError',
      'SequelizeHostNotFoundError',
      'SequelizeAccessDeniedError',
    ]) {
      expect(nextStep(Object.assign(new Error('no connection'), { name }))).toBe('retry');
    }
  });

  it('a broker that did not take a forwarded command is asked again', () => {
    expect(nextStep(new NotAccepted('full'))).toBe('retry');
    expect(nextStep(new AcceptanceUnknown('no confirm'))).toBe('retry');
  });

  it.each(['ER_DUP_ENTRY', 'SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY'])(
    '%s makes the batch decide again',
    (code) => {
      expect(nextStep(coded(code))).toBe('redo');
      expect(nextStep(fromSequelize('SequelizeUniqueConstraintError', coded(code)))).toBe('redo');
    },
  );

  it('a batch that is fenced out gives up what is not its own', () => {
    expect(nextStep(new FencedOut('taken over'))).toBe('fenced');
  });

  it.each([
    'ER_NO_SUCH_TABLE',
    'ER_BAD_FIELD_ERROR',
    'ER_TABLEACCESS_DENIED_ERROR',
    'ER_OPTION_PREVENTS_STATEMENT',
    'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
    'ER_GET_ERRNO',
    'ER_ERROR_ON_WRITE',
    'ER_RECORD_FILE_FULL',
    'ER_STATEMENT_TIMEOUT',
    'ER_PARSE_ERROR',
    'SQLITE_ERROR',
  ])('%s is a fault of the system and is no evidence against a command', (code) => {
    expect(nextStep(coded(code))).toBe('retry');
    expect(nextStep(fromSequelize('SequelizeDatabaseError', coded(code)))).toBe('retry');
  });

  it('an unknown error does not count against a command', () => {
    for (const error of [
      new TypeError('x is undefined'),
      Object.assign(new Error('from a proxy'), { code: undefined, errno: 9001 }),
      'a string',
      undefined,
      null,
    ]) {
      expect(nextStep(error)).toBe('retry');
    }
  });

  it.each([
    'ER_DATA_TOO_LONG',
    'ER_BAD_NULL_ERROR',
    'ER_CHECK_CONSTRAINT_VIOLATED',
    'ER_NO_REFERENCED_ROW_2',
    'SQLITE_CONSTRAINT_CHECK',
    'SQLITE_CONSTRAINT_FOREIGNKEY',
    'SQLITE_CONSTRAINT',
  ])('%s says that a value broke a constraint, which is looked for in the commands', (code) => {
    expect(nextStep(coded(code))).toBe('isolate');
  });

  it('a failed CHECK of MariaDB is looked for in the commands, by whatever name the driver gives to it', () => {
    expect(
      nextStep(
        Object.assign(new Error('CONSTRAINT failed'), {
          code: 'ER_INNODB_AUTOEXTEND_SIZE_OUT_OF_RANGE',
          errno: 4025,
        }),
      ),
    ).toBe('isolate');
  });

  it('what is thrown while commands are decided is looked for in the commands, and its own words are the reason', () => {
    const error = thrownBy(() =>
      blamingCommands(() => {
        throw new TypeError('stock is undefined');
      }),
    );
    expect([nextStep(error), reasonOf(error)]).toEqual([
      'isolate',
      'TypeError: stock is undefined',
    ]);
  });

  it('ids that are used up are no fault of a command: it is decided again with the next ones', () => {
    const error = thrownBy(() =>
      blamingCommands(() => {
        throw new IdsUsedUp('no user id is left');
      }),
    );
    expect(nextStep(error)).toBe('redo');
  });

  it('a batch that is too large for a packet is halved', () => {
    expect(nextStep(coded('ER_NET_PACKET_TOO_LARGE'))).toBe('split');
  });
});

it('the pause before a retry grows from 50 ms to 2 s and no further', () => {
  expect([0, 1, 2, 5, 6, 1000].map(retryPauseMs)).toEqual([50, 100, 200, 1600, 2000, 2000]);
});
