import type { Sequelize } from 'sequelize-typescript';
import { COMMAND_FAILED, type Envelope } from '../../../../shared/command';
import { encodeEnvelope } from '../../../../shared/messaging/envelope';
import { takeOver } from '../../../../workers/batch/ownership/fence';
import { POISON_TRIES_MAX } from '../../../../workers/batch/failures/retry';
import { borrow, giveBack } from '../../../support/models/lending/commands';
import { faulty, deadLettersOf, deadLetterIds, type Fault } from './dead-letters';
import { Rig } from './rig';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';
import { newTitle, newUser, storedOutcomes, titleRows } from './rows';

/** The titles at which a decision throws. */
const poisoned = new Map<number, Fault>();
const throwing = faulty(poisoned);
const coded = (code: string) => Object.assign(new Error('from the driver'), { code });
const keyOf = (bookInfoId: number) => `book-info:${bookInfoId}`;

describe.each(DIALECTS)('a command that cannot be carried out on %s', (dialect) => {
  let database: Sequelize;
  let rig: Rig;
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
  });
  beforeEach(() => {
    poisoned.clear();
    rig = new Rig({ database, wrapLending: throwing });
  });

  async function titles(): Promise<{ good: number; bad: number }> {
    const [good, bad] = [await newTitle(rig, 1), await newTitle(rig, 1)];
    poisoned.set(bad.bookInfoId, 'throws');
    rig.calls.splice(0);
    return { good: good.bookInfoId, bad: bad.bookInfoId };
  }

  it('is isolated: its neighbours are carried out, in order', async () => {
    const { good, bad } = await titles();
    const [ann, bo, cy] = [newUser(), newUser(), newUser()];
    const poison = borrow(ann, bad);
    const given = [
      borrow(ann, good),
      borrow(bo, good),
      poison,
      giveBack(ann, good),
      borrow(bo, good),
      borrow(cy, good),
      giveBack(bo, good),
      borrow(cy, good),
    ];
    await rig.process(given);
    expect(rig.endings(given)).toEqual([
      'created',
      'OUT_OF_STOCK',
      COMMAND_FAILED,
      'done',
      'created',
      'OUT_OF_STOCK',
      'done',
      'created',
    ]);
    expect((await deadLettersOf(keyOf(bad))).map(({ content }) => content)).toEqual([
      encodeEnvelope(poison),
    ]);
    const answered = rig
      .of('reply')
      .flatMap(({ outcomes }) => outcomes.map(({ commandId }) => commandId));
    const others = given.filter((one) => one !== poison);
    expect([...new Set(answered)]).toEqual([...others, poison].map(({ commandId }) => commandId));
    expect((await titleRows(good))[0]).toMatchObject({ availableStock: 0, borrowCount: 3 });
  });

  it('is dead-lettered with its reason and outcome stored before its sender is answered, and answered before it is acknowledged', async () => {
    const { bad } = await titles();
    const poison = borrow(newUser(), bad);
    await rig.process([poison]);
    expect(rig.kinds()).toEqual(['reply', 'ack']);
    expect(await deadLettersOf(keyOf(bad))).toMatchObject([
      {
        commandId: poison.commandId,
        type: 'lending.borrow-book',
        content: encodeEnvelope(poison),
        reason: 'TypeError: stock is undefined',
        parked: false,
        released: false,
      },
    ]);
    expect(await storedOutcomes([poison])).toHaveLength(1);
    expect(rig.endings([poison])).toEqual([COMMAND_FAILED]);
    expect((await titleRows(bad))[0]).toMatchObject({ availableStock: 1, borrowCount: 0 });
  });

  it('gets the same answer when it is delivered again, and is not dead-lettered a second time', async () => {
    const { bad } = await titles();
    const poison = borrow(newUser(), bad);
    await rig.process([poison]);
    const next = new Rig({ database, wrapLending: throwing });
    await next.process([poison]);
    expect(JSON.stringify([...next.replied()])).toBe(JSON.stringify([...rig.replied()]));
    expect(await deadLetterIds(keyOf(bad))).toEqual([poison.commandId]);
  });

  it('leaves each delivery acknowledged once, wherever it is in the batch', async () => {
    const { good, bad } = await titles();
    for (let place = 0; place < 5; place += 1) {
      const given: Envelope[] = [1, 2, 3, 4].map(() => borrow(newUser(), good));
      given.splice(place, 0, borrow(newUser(), bad));
      // The recorder throws, as a broker closes the channel, on a tag that was acknowledged before.
      await rig.process(given);
      expect(rig.unacknowledged).toEqual([]);
    }
    expect(await deadLettersOf(keyOf(bad))).toHaveLength(5);
  });

  it('is found when the batch has several', async () => {
    const { good, bad } = await titles();
    const poisons = [
      borrow(newUser(), bad),
      borrow(newUser(), (await titles()).bad),
      borrow(newUser(), (await titles()).bad),
    ];
    const given = [
      poisons[0]!,
      borrow(newUser(), good),
      poisons[1]!,
      poisons[2]!,
      borrow(newUser(), good),
    ];
    await rig.process(given);
    expect(rig.endings(given)).toEqual([
      COMMAND_FAILED,
      'created',
      COMMAND_FAILED,
      COMMAND_FAILED,
      'OUT_OF_STOCK',
    ]);
    expect(await deadLetterIds()).toEqual(
      expect.arrayContaining(poisons.map(({ commandId }) => commandId)),
    );
    for (const { commandId, key } of poisons) expect(await deadLetterIds(key)).toEqual([commandId]);
  });

  it('is not lost when it can be dead-lettered only later', async () => {
    const { good, bad } = await titles();
    const poison = borrow(newUser(), bad);
    let tries = 0;
    // Three tries of the command fail before they get here.
    rig.hooks.between = () =>
      (tries += 1) <= 4 ? Promise.reject(coded('ECONNREFUSED')) : undefined;
    await rig.process([poison]);
    expect(tries).toBe(5);
    expect(rig.kinds()).toEqual(['reply', 'ack']);
    expect(await storedOutcomes([poison])).toHaveLength(1);
    expect(await deadLetterIds(keyOf(bad))).toEqual([poison.commandId]);
    // No transaction was left open: the next batch gets the writer's turn and a connection.
    const next = borrow(newUser(), good);
    await rig.process([next]);
    expect(rig.endings([next])).toEqual(['created']);
  });

  it('is neither dead-lettered nor answered by a worker that was fenced out meanwhile, because it may succeed elsewhere', async () => {
    const { bad } = await titles();
    const poison = borrow(newUser(), bad);
    const deliveries = await rig.deliver([poison]);
    let begun = 0;
    rig.hooks.begin = async () => {
      // Its three tries are over.
      if ((begun += 1) === 4)
        await takeOver(
          database,
          'another',
          deliveries.map(({ ownership }) => ownership.name),
        );
    };
    await rig.processAll(deliveries);
    expect(rig.kinds()).toEqual([]);
    expect(await storedOutcomes([poison])).toEqual([]);
    expect(await deadLetterIds(keyOf(bad))).toEqual([]);
    poisoned.delete(bad);
    const next = new Rig({ database, wrapLending: throwing });
    await next.process([poison]);
    expect(next.endings([poison])).toEqual(['created']);
  });

  it('is dead-lettered when it alone is too large for a packet', async () => {
    const { good } = await titles();
    const large = borrow(newUser(), good);
    let tries = 0;
    rig.hooks.between = () =>
      (tries += 1) <= POISON_TRIES_MAX
        ? Promise.reject(coded('ER_NET_PACKET_TOO_LARGE'))
        : undefined;
    const before = await deadLetterIds();
    await rig.process([large]);
    expect(await deadLetterIds()).toEqual([...before, large.commandId]);
  });

  it('is left unacknowledged when the worker stops before it is dead-lettered', async () => {
    const { bad } = await titles();
    rig.hooks.between = () => {
      rig.processor.stop();
      return Promise.reject(new Error('away'));
    };
    await rig.process([borrow(newUser(), bad)]);
    expect(rig.calls).toEqual([]);
    expect(rig.unacknowledged).toHaveLength(1);
  });

  it.each([
    'ECONNREFUSED',
    'ER_LOCK_DEADLOCK',
    'ER_LOCK_WAIT_TIMEOUT',
    'PROTOCOL_CONNECTION_LOST',
    'ER_READ_ONLY_MODE',
    'SQLITE_BUSY',
    'SQLITE_READONLY',
  ])(
    'is not found in a batch that the database does not take, however often, for %s',
    async (code) => {
      const { good } = await titles();
      const before = await deadLetterIds();
      const given = [borrow(newUser(), good), borrow(newUser(), good)];
      let failures = 0;
      rig.hooks.between = () =>
        (failures += 1) <= POISON_TRIES_MAX + 1 ? Promise.reject(coded(code)) : undefined;
      await rig.process(given);
      expect(rig.endings(given)).toEqual(['created', 'OUT_OF_STOCK']);
      expect(await deadLetterIds()).toEqual(before);
    },
  );
});
