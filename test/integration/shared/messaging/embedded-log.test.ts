import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Sequelize } from 'sequelize-typescript';
import type { Envelope, Outcome } from '../../../../shared/command';
import { services } from '../../../../shared/services';
import { connectSqlite } from '../../../../shared/database/connect';
import type { HandleClass } from '../../../../shared/database/sqlite-files';
import { PendingCommand } from '../../../../shared/database/tables';
import { EmbeddedLog } from '../../../../shared/messaging/embedded';
import { encodeEnvelope } from '../../../../shared/messaging/envelope';
import { partitionName, partitionOf } from '../../../../shared/messaging/topology';
import {
  AcceptanceUnknown,
  NotAccepted,
  type Delivery,
} from '../../../../shared/messaging/transport';
import { onCleanUp, temporaryFolder } from '../../../support/run/cleanup';
import { copySqlite } from '../../../support/servers/templates';
import { failingSqlite } from '../../../support/faults/failing-sqlite';
import { waitUntil } from '../../../support/wait';
import { borrow } from '../../../support/models/lending/commands';

const PARTITIONS = 4;
const WAIT_MS = 10_000;
/** Most commands that the log lets wait. */
const PENDING_MAX = 100_000;
const silent = pino({ level: 'silent' });

/** A command for a title: the same title, the same partition. */
const commandFor = (bookInfoId: number) => borrow(1, bookInfoId);
const partitionOfTitle = (bookInfoId: number) =>
  partitionName('lending', partitionOf(`book-info:${bookInfoId}`, PARTITIONS));
const idOf = ({ message }: Delivery) =>
  'envelope' in message ? message.envelope.commandId : message.malformed;
const idsOf = (envelopes: readonly Envelope[]) => envelopes.map(({ commandId }) => commandId);

interface Opened {
  readonly log: EmbeddedLog;
  readonly database: Sequelize;
  readonly deliveries: Delivery[];
  /** How many commands an earlier process had left behind. */
  readonly left: number;
}

async function databaseIn(folder: string, handles?: HandleClass): Promise<Sequelize> {
  const file = join(folder, 'lendline.sqlite');
  if (!existsSync(file)) await copySqlite(file);
  const database = connectSqlite(file, handles);
  onCleanUp(() => database.close());
  return database;
}

/** A process that starts: it opens the file and consumes. */
async function open(folder: string, handles?: HandleClass): Promise<Opened> {
  const database = await databaseIn(folder, handles);
  const log = new EmbeddedLog(
    database,
    { generation: 1, partitions: PARTITIONS },
    services.decode,
    silent,
  );
  const deliveries: Delivery[] = [];
  const left = await log.consume((delivery) => deliveries.push(delivery));
  onCleanUp(() => log.close());
  return { log, database, deliveries, left };
}

const newLog = async () => open(await temporaryFolder('log'));
const rows = () => PendingCommand.findAll({ order: ['seq'], raw: true });
const noRows = () =>
  waitUntil('the rows are gone', WAIT_MS, async () => (await PendingCommand.count()) === 0);

/** Fails when a promise does not end by itself. */
async function inTime(what: string, promise: Promise<unknown>): Promise<void> {
  let ended = false;
  void promise.then(() => (ended = true));
  await waitUntil(what, WAIT_MS, () => ended);
}

describe('the command log', () => {
  it('has a command as a row before it promises it, and delivers it', async () => {
    const { log, deliveries } = await newLog();
    const given = commandFor(1);
    let stored: readonly PendingCommand[] = [];
    await log.send(given).then(async () => {
      stored = await rows();
    });
    expect(stored.map(({ partitionName: name, envelope }) => [name, envelope])).toEqual([
      [partitionOfTitle(1), encodeEnvelope(given)],
    ]);
    expect(deliveries).toHaveLength(1);
    expect(deliveries[0]).toMatchObject({
      redeliveries: 0,
      message: { envelope: given },
      ownership: { name: partitionOfTitle(1), lost: false, epoch: null },
    });
  });

  it('refuses a command that it cannot write, and says that it was not taken', async () => {
    const { log, database, deliveries } = await newLog();
    await database.query('ALTER TABLE pending_command RENAME TO elsewhere');
    await expect(log.send(commandFor(1))).rejects.toBeInstanceOf(NotAccepted);
    expect(deliveries).toEqual([]);
    await database.query('ALTER TABLE elsewhere RENAME TO pending_command');
    await log.send(commandFor(1));
    expect(deliveries).toHaveLength(1);
  });

  it('keeps the order of each partition, however many are sent at once', async () => {
    const { log, deliveries } = await newLog();
    const given = Array.from({ length: 300 }, (_, index) => commandFor(1 + (index % 7)));
    await Promise.all(given.map((one) => log.send(one)));
    for (let title = 1; title <= 7; title += 1) {
      const name = partitionOfTitle(title);
      const expected = given.filter(({ payload }) => partitionOfTitle(payload.bookInfoId) === name);
      expect(deliveries.filter(({ ownership }) => ownership.name === name).map(idOf)).toEqual(
        idsOf(expected),
      );
    }
    const places = deliveries.map(({ place }) => place);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  it('takes a command at whatever moment after another one was stored', async () => {
    const { log, deliveries } = await newLog();
    for (let turns = 0; turns < 30; turns += 1) {
      const before = log.send(commandFor(1));
      await before;
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      await inTime(`the command ${turns} turns later`, log.send(commandFor(1)));
    }
    expect(deliveries).toHaveLength(60);
  });

  it('takes a command that comes while it removes what is done', async () => {
    const { log, database, deliveries } = await newLog();
    await log.send(commandFor(1));
    // The present transaction keeps the log from writing until it ends; then the removal is on its
    // way.
    const blocking = await database.transaction();
    let removing = false;
    const begin = database.transaction.bind(database) as (...given: unknown[]) => Promise<unknown>;
    database.transaction = ((...given: unknown[]) => {
      removing = true;
      return begin(...given);
    }) as Sequelize['transaction'];
    deliveries[0]?.ownership.ack(deliveries[0]);
    await waitUntil('the removal waits for its turn', WAIT_MS, () => removing);
    const sent = log.send(commandFor(2));
    await blocking.rollback();
    await inTime('the command is stored', sent);
    expect(deliveries.map(({ ownership }) => ownership.name)).toEqual([
      partitionOfTitle(1),
      partitionOfTitle(2),
    ]);
  });
});

describe('what is done', () => {
  it('vanishes from the log soon, though nothing else is sent', async () => {
    const { log, deliveries } = await newLog();
    await Promise.all([1, 1, 1].map((title) => log.send(commandFor(title))));
    expect(await PendingCommand.count()).toBe(3);
    deliveries[2]?.ownership.ack(deliveries[2]);
    await noRows();
  });

  it('is everything of the partition up to the acknowledgement, and nothing of another', async () => {
    const { log, deliveries } = await newLog();
    const other =
      [2, 3, 4, 5, 6].find((title) => partitionOfTitle(title) !== partitionOfTitle(1)) ?? 0;
    const given = [
      commandFor(1),
      commandFor(other),
      commandFor(1),
      commandFor(1),
      commandFor(other),
    ];
    await Promise.all(given.map((one) => log.send(one)));
    const [, , third] = deliveries;
    third?.ownership.ack(third);
    const left = [given[1], given[3], given[4]].map((one) => encodeEnvelope(one as Envelope));
    await waitUntil('two rows are gone', WAIT_MS, async () => (await PendingCommand.count()) === 3);
    expect((await rows()).map(({ envelope }) => envelope)).toEqual(left);
  });

  it('is gone when the program has ended in order', async () => {
    const { log, deliveries } = await newLog();
    await log.send(commandFor(1));
    deliveries[0]?.ownership.ack(deliveries[0]);
    await log.close();
    expect(await rows()).toEqual([]);
  });
});

describe('what is not done when the process ends', () => {
  it('is delivered again at the next start, in order, before anything new', async () => {
    const folder = await temporaryFolder('log');
    const first = await open(folder);
    const given = Array.from({ length: 20 }, (_, index) => commandFor(1 + (index % 5)));
    for (const one of given) await first.log.send(one);
    const second = await open(folder);
    expect(second.left).toBe(20);
    const fresh = commandFor(1);
    await second.log.send(fresh);
    expect(second.deliveries.map(idOf)).toEqual(idsOf([...given, fresh]));
    expect(second.deliveries.map(({ redeliveries }) => redeliveries)).toEqual([
      ...given.map(() => 1),
      0,
    ]);
    for (const delivery of second.deliveries) delivery.ownership.ack(delivery);
    await noRows();
  });

  it('counts each start as a redelivery, so that a command which ends the process is found out', async () => {
    const folder = await temporaryFolder('log');
    await (await open(folder)).log.send(commandFor(1));
    for (const starts of [1, 2, 3])
      expect((await open(folder)).deliveries.map(({ redeliveries }) => redeliveries)).toEqual([
        starts,
      ]);
    const last = await open(folder);
    await last.log.send(commandFor(2));
    expect(last.deliveries.map(({ redeliveries }) => redeliveries)).toEqual([4, 0]);
  });

  it('is delivered again when its acknowledgement was not written any more, and nothing else is', async () => {
    const folder = await temporaryFolder('log');
    const first = await open(folder);
    await first.log.send(commandFor(1));
    await first.log.send(commandFor(1));
    first.deliveries[0]?.ownership.ack(first.deliveries[0]);
    const second = await open(folder);
    expect([1, 2]).toContain(second.left);
    expect(second.deliveries.map(idOf).at(-1)).toBe(first.deliveries.map(idOf)[1]);
  });
});

describe('a partition that is given up', () => {
  it('is delivered again, in order, with what came meanwhile behind it, and its old hold is lost', async () => {
    const { log, deliveries } = await newLog();
    const given = [commandFor(1), commandFor(1), commandFor(1)];
    for (const one of given) await log.send(one);
    const [first] = deliveries;
    first?.ownership.ack(first);
    first?.ownership.release();
    expect(first?.ownership.lost).toBe(true);
    const meanwhile = commandFor(1);
    await log.send(meanwhile);
    expect(deliveries).toHaveLength(3);
    await waitUntil('it is delivered again', WAIT_MS, () => deliveries.length > 3);
    const again = deliveries.slice(3);
    expect(again.map(idOf)).toEqual(idsOf([...given.slice(1), meanwhile]));
    expect(
      again.map(({ ownership }) => [
        ownership.lost,
        ownership.epoch,
        ownership === first?.ownership,
      ]),
    ).toEqual(again.map(() => [false, null, false]));
    expect(again.map(({ redeliveries }) => redeliveries > 0)).toEqual([true, true, true]);
    again[2]?.ownership.ack(again[2]);
    await noRows();
  });

  it('holds up no other one', async () => {
    const { log, deliveries } = await newLog();
    const other =
      [2, 3, 4, 5, 6].find((title) => partitionOfTitle(title) !== partitionOfTitle(1)) ?? 0;
    await log.send(commandFor(1));
    deliveries[0]?.ownership.release();
    await log.send(commandFor(other));
    expect(deliveries.map(({ ownership }) => ownership.name)).toEqual([
      partitionOfTitle(1),
      partitionOfTitle(other),
    ]);
  });
});

describe('a log that is full', () => {
  /** A log that was left so full that `room` commands more fit in. */
  async function almostFull(room: number): Promise<Opened> {
    const folder = await temporaryFolder('log');
    const database = await databaseIn(folder);
    const count = PENDING_MAX - room;
    await database.query(
      `WITH RECURSIVE n(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n WHERE seq < ${count})
       INSERT INTO pending_command (seq, partition_name, envelope) SELECT seq, 'lending.commands.00', 'x' FROM n`,
    );
    return open(folder);
  }

  it('takes no more commands until some are done, and counts those that were left behind', async () => {
    const { log, deliveries, left } = await almostFull(2);
    expect(left).toBe(PENDING_MAX - 2);
    expect(log.ready()).toBe(true);
    await Promise.all([log.send(commandFor(1)), log.send(commandFor(1))]);
    expect(log.ready()).toBe(false);
    await expect(log.send(commandFor(1))).rejects.toBeInstanceOf(NotAccepted);
    const delivery = deliveries[0] as Delivery;
    delivery.ownership.ack(delivery);
    expect(log.ready()).toBe(true);
    await log.send(commandFor(1));
    await expect(log.send(commandFor(1))).rejects.toBeInstanceOf(NotAccepted);
  });

  it('takes a command that is forwarded all the same: it stands for one that waits already, and that would never end', async () => {
    const { log, deliveries } = await almostFull(0);
    const given = commandFor(1);
    await log.forward(given);
    expect(idOf(deliveries.at(-1) as Delivery)).toBe(given.commandId);
  });
});

describe("the worker's half", () => {
  it('forwards nothing before the log was read: only then is it known which numbers are free', async () => {
    const database = await databaseIn(await temporaryFolder('log'));
    await expect(
      new EmbeddedLog(
        database,
        { generation: 1, partitions: PARTITIONS },
        services.decode,
        silent,
      ).forward(commandFor(1)),
    ).rejects.toBeInstanceOf(NotAccepted);
    expect(await PendingCommand.count()).toBe(0);
  });

  it('forwards a command to the partition of its key', async () => {
    const { log, deliveries } = await newLog();
    const given = { ...commandFor(1), key: 'isbn:9780306406157' };
    await log.forward(given);
    expect(deliveries.map(({ ownership }) => ownership.name)).toEqual([
      partitionName('lending', partitionOf(given.key, PARTITIONS)),
    ]);
  });

  it('hands replies to everybody who listens', async () => {
    const { log } = await newLog();
    const heard: [number, Outcome][] = [];
    for (const listener of [1, 2]) log.onReply((outcome) => heard.push([listener, outcome]));
    const outcomes = ['a', 'b'].map((commandId): Outcome => {
      const ending = { status: 'succeeded', created: false, result: null } as const;
      return {
        commandId,
        type: 'lending.renew-borrow',
        ownerId: null,
        requestId: 'r',
        createdAt: 1,
        completedAt: 2,
        ending,
      };
    });
    log.reply('embedded', outcomes);
    expect(heard).toEqual([
      [1, outcomes[0]],
      [2, outcomes[0]],
      [1, outcomes[1]],
      [2, outcomes[1]],
    ]);
  });
});

describe('a command log whose disk fails', () => {
  beforeEach(() => {
    // Sequelize says by itself that a transaction failed.
    jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  });

  const failingLog = async () => {
    const { handles, fail } = failingSqlite();
    return { fail, ...(await open(await temporaryFolder('log'), handles)) };
  };

  it('refuses a command that was certainly not stored, and says when to come back', async () => {
    const { log, fail } = await failingLog();
    fail({ sql: /^COMMIT/, text: 'database or disk is full' });
    await expect(log.send(commandFor(1))).rejects.toMatchObject({
      name: 'NotAccepted',
      retryAfterS: 2,
    });
  });

  it.each(['disk I/O error', 'out of memory', 'a text of tomorrow'])(
    'does not refuse a command that may have been stored (%s)',
    async (text) => {
      const { log, fail } = await failingLog();
      fail({ sql: /^COMMIT/, text });
      await expect(log.send(commandFor(1))).rejects.toBeInstanceOf(AcceptanceUnknown);
    },
  );

  it('refuses at once until the disk can be written again, and then goes on by itself', async () => {
    const { log, fail, deliveries } = await failingLog();
    fail({ sql: /^COMMIT/, text: 'database or disk is full' });
    await expect(log.send(commandFor(1))).rejects.toBeInstanceOf(NotAccepted);
    // It would be stored now; but nothing is tried for a client before the log itself has tried.
    fail(null);
    await expect(log.send(commandFor(1))).rejects.toMatchObject({
      message: 'The database cannot be written (SQLITE_FULL: database or disk is full).',
    });
    expect(log.ready()).toBe(false);
    await waitUntil('the log is ready', WAIT_MS, () => log.ready());
    await log.send(commandFor(1));
    expect(deliveries).toHaveLength(1);
  });
});
