import type { Sequelize } from 'sequelize-typescript';
import { COMMAND_FAILED, type Envelope } from '../../../../shared/command';
import { DeadLetter, SuspectCommand } from '../../../../shared/database/dead-letter-tables';
import type { Delivery } from '../../../../shared/messaging/transport';
import { takeOver } from '../../../../workers/batch/ownership/fence';
import { DEATHS_MAX } from '../../../../workers/batch/failures/suspects';
import { borrow } from '../../../support/models/lending/commands';
import { faulty, deadLetterIds, deadLettersOf, type Fault } from './dead-letters';
import { Rig } from './rig';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';
import { newTitle, newUser, storedOutcomes, titleRows } from './rows';

/** Processes that end in the middle of their work, one after the other, at one queue. */

const LIVES_MAX = 100;

describe.each(DIALECTS)('a command that ends its process on %s', (dialect) => {
  let database: Sequelize;
  const faults = new Map<number, Fault>();
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
  });
  beforeEach(async () => {
    faults.clear();
    await DeadLetter.destroy({ where: {} });
    await SuspectCommand.destroy({ where: {} });
  });

  /**
   * From now on nothing that this process does reaches the database or anybody else; what it has
   * not committed is gone.
   */
  function kill(rig: Rig): void {
    rig.hooks.begin = () => Promise.reject(new Error('this process is dead'));
    rig.processor.stop();
  }

  /**
   * Which transaction of a process is that of its batch: before it, the run is marked, and the
   * command that is alone.
   */
  const COMMITS = [1, 2, 3, 3];

  const killedAt = (hook: 'between' | 'committed', commit: number) => (rig: Rig) => {
    let commits = 0;
    rig.hooks[hook] = () => {
      if ((commits += 1) < commit) return;
      kill(rig);
      throw new Error('killed');
    };
  };

  function newProcess(): Rig {
    const rig: Rig = new Rig({
      database,
      wrapLending: faulty(faults, () => {
        kill(rig);
      }),
    });
    return rig;
  }

  /**
   * A queue, served by one process after the other; each gets what was not acknowledged, counted
   * once more.
   */
  class Queue {
    readonly processes: Rig[] = [];
    private waiting: { envelope: Envelope; redeliveries: number }[];

    constructor(envelopes: readonly Envelope[]) {
      this.waiting = envelopes.map((envelope) => ({ envelope, redeliveries: 0 }));
    }

    get length(): number {
      return this.waiting.length;
    }

    /**
     * One process at work, prepared by `prepare`, with so many of the commands in its batch as it
     * is told.
     */
    async serve(
      prepare: (rig: Rig) => void = () => undefined,
      batchLength = this.waiting.length,
    ): Promise<Rig> {
      const rig = newProcess();
      this.processes.push(rig);
      const deliveries: Delivery[] = [];
      for (const { envelope, redeliveries } of this.waiting)
        deliveries.push(...(await rig.deliver([envelope], redeliveries)));
      prepare(rig);
      await rig.processAll(deliveries.slice(0, batchLength));
      // With a process its connection ends.
      await rig.end();
      const acknowledged = new Set(rig.of('ack').flatMap(({ places }) => places));
      this.waiting = this.waiting
        .filter((_, index) => !acknowledged.has(deliveries[index]?.place ?? 0))
        .map(({ envelope, redeliveries }) => ({ envelope, redeliveries: redeliveries + 1 }));
      return rig;
    }

    /** How many processes died until all was done. */
    async serveAll(): Promise<number> {
      for (let deaths = 0; deaths < LIVES_MAX; deaths += 1) {
        await this.serve();
        if (this.length === 0) return deaths;
      }
      throw new Error(`${LIVES_MAX} processes died`);
    }

    endings(envelopes: readonly Envelope[]): (string | undefined)[] {
      return envelopes.map((envelope) =>
        this.processes
          .map((rig) => rig.endings([envelope])[0])
          .find((ending) => ending !== undefined),
      );
    }
  }

  const prepared = async (copies = 1): Promise<number> => {
    const rig = new Rig({ database });
    const { bookInfoId } = await newTitle(rig, copies);
    await rig.end();
    return bookInfoId;
  };
  const poisoned = async (): Promise<number> => {
    const bookInfoId = await prepared();
    faults.set(bookInfoId, 'dies');
    return bookInfoId;
  };

  it('is dead-lettered after five processes, and its neighbours in the batch are carried out, in order', async () => {
    const [good, bad] = [await prepared(2), await poisoned()];
    const poison = borrow(newUser(), bad);
    const given = [
      borrow(newUser(), good),
      borrow(newUser(), good),
      poison,
      borrow(newUser(), good),
      borrow(newUser(), await prepared()),
    ];
    const queue = new Queue(given);
    expect(await queue.serveAll()).toBe(2 + DEATHS_MAX);
    expect(queue.endings(given)).toEqual([
      'created',
      'created',
      COMMAND_FAILED,
      'OUT_OF_STOCK',
      'created',
    ]);
    expect(await deadLettersOf()).toMatchObject([
      { commandId: poison.commandId, reason: '3 processes ended while they carried it out alone' },
    ]);
    expect((await titleRows(good))[0]).toMatchObject({ availableStock: 0, borrowCount: 2 });
    expect((await titleRows(bad))[0]).toMatchObject({ availableStock: 1, borrowCount: 0 });
    expect(await SuspectCommand.count()).toBe(0);
  });

  it('is dead-lettered after four processes when it came alone', async () => {
    const poison = borrow(newUser(), await poisoned());
    const queue = new Queue([poison]);
    expect(await queue.serveAll()).toBe(1 + DEATHS_MAX);
    expect(await deadLetterIds()).toEqual([poison.commandId]);
  });

  it('puts the later commands of its aggregate in quarantine, and no others', async () => {
    const [good, bad] = [await prepared(4), await poisoned()];
    const [first, second, third] = [1, 2, 3].map(() => borrow(newUser(), bad)) as [
      Envelope,
      Envelope,
      Envelope,
    ];
    const given = [
      borrow(newUser(), good),
      first,
      borrow(newUser(), good),
      second,
      third,
      borrow(newUser(), good),
    ];
    const queue = new Queue(given);
    expect(await queue.serveAll()).toBeLessThanOrEqual(2 + DEATHS_MAX);
    expect(queue.endings(given)).toEqual([
      'created',
      COMMAND_FAILED,
      'created',
      COMMAND_FAILED,
      COMMAND_FAILED,
      'created',
    ]);
    expect(
      (await deadLettersOf()).map(({ commandId, parked }) => [commandId, Boolean(parked)]),
    ).toEqual([
      [first.commandId, false],
      [second.commandId, true],
      [third.commandId, true],
    ]);
  });

  it('does not affect commands that were fetched with it ten times', async () => {
    const good = await prepared(30);
    const given: Envelope[] = [];
    for (let poison = 0; poison < 10; poison += 1)
      given.push(
        borrow(newUser(), good),
        borrow(newUser(), await poisoned()),
        borrow(newUser(), good),
      );
    const queue = new Queue(given);
    expect(await queue.serveAll()).toBeLessThanOrEqual(10 * (2 + DEATHS_MAX));
    expect(queue.endings(given)).toEqual(
      given.map(({ key }) => (key === `book-info:${good}` ? 'created' : COMMAND_FAILED)),
    );
    expect(await deadLetterIds()).toEqual(
      given.filter(({ key }) => key !== `book-info:${good}`).map(({ commandId }) => commandId),
    );
  });

  it('leads to marks on the commands that ran with it, not on those that were only fetched, and only when they are delivered again', async () => {
    const [good, bad] = [await prepared(9), await poisoned()];
    const given = [
      borrow(newUser(), good),
      borrow(newUser(), bad),
      borrow(newUser(), good),
      borrow(newUser(), good),
    ];
    const queue = new Queue(given);
    await queue.serve(undefined, 3);
    expect(await SuspectCommand.count()).toBe(0);
    await queue.serve(undefined, 3);
    const marks = await SuspectCommand.findAll({ raw: true });
    expect(marks.map(({ commandId }) => commandId).sort()).toEqual(
      given
        .slice(0, 3)
        .map(({ commandId }) => commandId)
        .sort(),
    );
    expect(marks.map(({ deaths }) => deaths)).toEqual([0, 0, 0]);
    await queue.serve(undefined, 3);
    // The one before it was acquitted by its success alone.
    expect(await SuspectCommand.findAll({ raw: true, order: ['deaths'] })).toMatchObject([
      { commandId: given[2]?.commandId, deaths: 0 },
      { commandId: given[1]?.commandId, deaths: 1 },
    ]);
  });

  it('is not suspected in a command that was delivered 99 times and never ran when a process ended', async () => {
    const given = [borrow(newUser(), await prepared()), borrow(newUser(), await prepared())];
    const rig = newProcess();
    await rig.processAll(await rig.deliver(given, 99));
    expect(rig.endings(given)).toEqual(['created', 'created']);
    expect(await SuspectCommand.count()).toBe(0);
  });

  it('is not suspected when its processes were killed from outside, as long as one survives it in the end', async () => {
    const given: Envelope[] = [];
    for (let place = 0; place < 3; place += 1) given.push(borrow(newUser(), await prepared()));
    const queue = new Queue(given);
    for (let life = 0; life < 1 + DEATHS_MAX; life += 1)
      await queue.serve(killedAt('between', COMMITS[life] ?? 3));
    expect(await SuspectCommand.max('deaths')).toBe(DEATHS_MAX - 1);
    expect(await queue.serveAll()).toBe(0);
    expect(queue.endings(given)).toEqual(['created', 'created', 'created']);
    expect(await deadLetterIds()).toEqual([]);
  });

  it('after its commit is acknowledged in the end, with the outcome that it has', async () => {
    const given = borrow(newUser(), await prepared());
    const queue = new Queue([given]);
    for (let life = 0; queue.length > 0 && life < LIVES_MAX; life += 1)
      await queue.serve(killedAt('committed', life === 0 ? 1 : 3));
    expect(queue.processes).toHaveLength(2 + DEATHS_MAX);
    expect(queue.endings([given])).toEqual([undefined]);
    expect(
      (await storedOutcomes([given])).map(
        ({ ending }) => (JSON.parse(ending) as { status: string }).status,
      ),
    ).toEqual(['succeeded']);
    expect(await deadLetterIds()).toEqual([]);
  });

  it('costs first deliveries nothing, and leaves no mark on a command that is delivered again and ends, well or badly', async () => {
    const [good, bad] = [await prepared(5), await prepared()];
    faults.set(bad, 'throws');
    const rig = newProcess();
    let transactions = 0;
    rig.hooks.begin = () => void (transactions += 1);
    await rig.process([borrow(newUser(), good), borrow(newUser(), good)]);
    expect(transactions).toBe(1);
    const again = [borrow(newUser(), good), borrow(newUser(), bad), borrow(newUser(), good)];
    await rig.processAll(await rig.deliver(again, 1));
    expect(rig.endings(again)).toEqual(['created', COMMAND_FAILED, 'created']);
    expect(await SuspectCommand.count()).toBe(0);
  });

  it('is not suspected when the process stops in order: the mark is removed', async () => {
    const given = borrow(newUser(), await prepared());
    for (let stops = 0; stops < 2 * DEATHS_MAX; stops += 1) {
      const rig = newProcess();
      rig.hooks.between = () => {
        rig.hooks.between = () => undefined;
        rig.processor.stop();
        return Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }));
      };
      await rig.processAll(await rig.deliver([given], stops + 1));
      expect(rig.unacknowledged).toHaveLength(1);
      expect(await SuspectCommand.count()).toBe(0);
    }
  });

  it('is not marked by a worker that has lost its partition', async () => {
    const given = borrow(newUser(), await prepared());
    const rig = newProcess();
    const deliveries = await rig.deliver([given], 5);
    await takeOver(
      database,
      'another',
      deliveries.map(({ ownership }) => ownership.name),
    );
    await rig.processAll(deliveries);
    expect(deliveries[0]?.ownership.lost).toBe(true);
    expect(rig.calls).toEqual([]);
    expect(await SuspectCommand.count()).toBe(0);
  });

  it('is cleared only by its present owner', async () => {
    const bad = await poisoned();
    const poison = borrow(newUser(), bad);
    const queue = new Queue([poison]);
    await queue.serve();
    await queue.serve();
    const rig = newProcess();
    faults.delete(bad);
    // Frozen in its batch, and thawed when another has had the command and died of it.
    rig.hooks.committed = async () => {
      await SuspectCommand.update({ deaths: 3 }, { where: { commandId: poison.commandId } });
      await takeOver(database, 'another', [(await rig.deliver([poison]))[0]?.ownership.name ?? '']);
      rig.hooks.committed = () => undefined;
    };
    await rig.processAll(await rig.deliver([poison], 2));
    expect(await SuspectCommand.findAll({ raw: true })).toMatchObject([
      { commandId: poison.commandId, deaths: 3 },
    ]);
  });
});
