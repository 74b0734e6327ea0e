import type { Sequelize } from 'sequelize-typescript';
import { COMMAND_FAILED, type Envelope } from '../../../../shared/command';
import { DeadLetter, SuspectCommand } from '../../../../shared/database/dead-letter-tables';
import { takeOver } from '../../../../workers/batch/ownership/fence';
import { DEATHS_MAX } from '../../../../workers/batch/failures/suspects';
import { borrow } from '../../../support/models/lending/commands';
import { deadLetterIds, deadLettersOf, type Fault } from './dead-letters';
import { killedAt, LIVES_MAX, newProcess, Queue } from './dying';
import { Rig } from './rig';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';
import { newTitle, newUser, storedOutcomes, titleRows } from './rows';

/**
 * Which transaction of a process is that of its batch: before it, the run is marked, and the
 * command that is alone.
 */
const COMMITS = [1, 2, 3, 3];

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

  const start = () => newProcess(database, faults);
  const queueOf = (envelopes: readonly Envelope[]) => new Queue(start, envelopes);
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

  describe('is dead-lettered', () => {
    it('after five processes, and its neighbours in the batch are carried out, in order', async () => {
      const [good, bad] = [await prepared(2), await poisoned()];
      const poison = borrow(newUser(), bad);
      const given = [
        borrow(newUser(), good),
        borrow(newUser(), good),
        poison,
        borrow(newUser(), good),
        borrow(newUser(), await prepared()),
      ];
      const queue = queueOf(given);
      expect(await queue.serveAll()).toBe(2 + DEATHS_MAX);
      expect(queue.endings(given)).toEqual([
        'created',
        'created',
        COMMAND_FAILED,
        'OUT_OF_STOCK',
        'created',
      ]);
      expect(await deadLettersOf()).toMatchObject([
        {
          commandId: poison.commandId,
          reason: '3 processes ended while they carried it out alone',
        },
      ]);
      expect((await titleRows(good))[0]).toMatchObject({ availableStock: 0, borrowCount: 2 });
      expect((await titleRows(bad))[0]).toMatchObject({ availableStock: 1, borrowCount: 0 });
      expect(await SuspectCommand.count()).toBe(0);
    });

    it('after four processes when it came alone', async () => {
      const poison = borrow(newUser(), await poisoned());
      const queue = queueOf([poison]);
      expect(await queue.serveAll()).toBe(1 + DEATHS_MAX);
      expect(await deadLetterIds()).toEqual([poison.commandId]);
    });

    it('with the later commands of its aggregate in quarantine, and no others', async () => {
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
      const queue = queueOf(given);
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

    it('alone, when there are ten of them among other commands', async () => {
      const good = await prepared(30);
      const given: Envelope[] = [];
      for (let poison = 0; poison < 10; poison += 1)
        given.push(
          borrow(newUser(), good),
          borrow(newUser(), await poisoned()),
          borrow(newUser(), good),
        );
      const queue = queueOf(given);
      expect(await queue.serveAll()).toBeLessThanOrEqual(10 * (2 + DEATHS_MAX));
      expect(queue.endings(given)).toEqual(
        given.map(({ key }) => (key === `book-info:${good}` ? 'created' : COMMAND_FAILED)),
      );
      expect(await deadLetterIds()).toEqual(
        given.filter(({ key }) => key !== `book-info:${good}`).map(({ commandId }) => commandId),
      );
    });
  });

  describe('is suspected', () => {
    it('as are the commands that ran with it, not those that were only fetched, and only when they are delivered again', async () => {
      const [good, bad] = [await prepared(9), await poisoned()];
      const given = [
        borrow(newUser(), good),
        borrow(newUser(), bad),
        borrow(newUser(), good),
        borrow(newUser(), good),
      ];
      const queue = queueOf(given);
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

    it('until its present owner clears it', async () => {
      const bad = await poisoned();
      const poison = borrow(newUser(), bad);
      const queue = queueOf([poison]);
      await queue.serve();
      await queue.serve();
      const rig = start();
      faults.delete(bad);
      // Frozen in its batch, and thawed when another has had the command and died of it.
      rig.hooks.committed = async () => {
        await SuspectCommand.update({ deaths: 3 }, { where: { commandId: poison.commandId } });
        await takeOver(database, 'another', [
          (await rig.deliver([poison]))[0]?.ownership.name ?? '',
        ]);
        rig.hooks.committed = () => undefined;
      };
      await rig.processAll(await rig.deliver([poison], 2));
      expect(await SuspectCommand.findAll({ raw: true })).toMatchObject([
        { commandId: poison.commandId, deaths: 3 },
      ]);
    });
  });

  describe('is not suspected', () => {
    it('when it was delivered 99 times and never ran when a process ended', async () => {
      const given = [borrow(newUser(), await prepared()), borrow(newUser(), await prepared())];
      const rig = start();
      await rig.processAll(await rig.deliver(given, 99));
      expect(rig.endings(given)).toEqual(['created', 'created']);
      expect(await SuspectCommand.count()).toBe(0);
    });

    it('when its processes were killed from outside, as long as one survives it in the end', async () => {
      const given: Envelope[] = [];
      for (let place = 0; place < 3; place += 1) given.push(borrow(newUser(), await prepared()));
      const queue = queueOf(given);
      for (let life = 0; life < 1 + DEATHS_MAX; life += 1)
        await queue.serve(killedAt('between', COMMITS[life] ?? 3));
      expect(await SuspectCommand.max('deaths')).toBe(DEATHS_MAX - 1);
      expect(await queue.serveAll()).toBe(0);
      expect(queue.endings(given)).toEqual(['created', 'created', 'created']);
      expect(await deadLetterIds()).toEqual([]);
    });

    it('when they ended after its commit: it is acknowledged in the end, with the outcome that it has', async () => {
      const given = borrow(newUser(), await prepared());
      const queue = queueOf([given]);
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

    it('when it ends, well or badly, and a first delivery costs nothing', async () => {
      const [good, bad] = [await prepared(5), await prepared()];
      faults.set(bad, 'throws');
      const rig = start();
      let transactions = 0;
      rig.hooks.begin = () => void (transactions += 1);
      await rig.process([borrow(newUser(), good), borrow(newUser(), good)]);
      expect(transactions).toBe(1);
      const again = [borrow(newUser(), good), borrow(newUser(), bad), borrow(newUser(), good)];
      await rig.processAll(await rig.deliver(again, 1));
      expect(rig.endings(again)).toEqual(['created', COMMAND_FAILED, 'created']);
      expect(await SuspectCommand.count()).toBe(0);
    });

    it('when the process stops in order: the mark is removed', async () => {
      const given = borrow(newUser(), await prepared());
      for (let stops = 0; stops < 2 * DEATHS_MAX; stops += 1) {
        const rig = start();
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

    it('by a worker that has lost its partition', async () => {
      const given = borrow(newUser(), await prepared());
      const rig = start();
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
  });
});
