import type { Sequelize } from 'sequelize-typescript';
import type { Delivery } from '../../../../shared/messaging/transport';
import { COMMAND_FAILED, type Envelope } from '../../../../shared/command';
import { encodeEnvelope } from '../../../../shared/messaging/envelope';
import { partitionName, partitionOf } from '../../../../shared/messaging/topology';
import { takeOver } from '../../../../workers/batch/ownership/fence';
import { POISON_TRIES_MAX } from '../../../../workers/batch/failures/retry';
import { borrow, giveBack } from '../../../support/models/lending/commands';
import { faulty, deadLettersOf, deadLetterIds, type Fault } from './dead-letters';
import { Rig } from './rig';
import { DIALECTS, emptyDatabase, PARTITIONS } from '../../../support/servers/database';
import { waitUntil } from '../../../support/wait';
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

  it('is dead-lettered with its reason and its outcome stored before its waiter is told, and that before it is acknowledged', async () => {
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

  it('is answered the same when it comes again, and is not dead-lettered a second time', async () => {
    const { bad } = await titles();
    const poison = borrow(newUser(), bad);
    await rig.process([poison]);
    const next = new Rig({ database, wrapLending: throwing });
    await next.process([poison]);
    expect(JSON.stringify([...next.replied()])).toBe(JSON.stringify([...rig.replied()]));
    expect(await deadLetterIds(keyOf(bad))).toEqual([poison.commandId]);
  });

  it('leaves each delivery acknowledged once, wherever it stood', async () => {
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

  it('is found when there are several', async () => {
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

  it('is neither dead-lettered nor answered by a worker that was fenced out meanwhile, for it may succeed elsewhere', async () => {
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

describe.each(DIALECTS)('a table that is missing for a while on %s', (dialect) => {
  it('makes no dead letter: the commands of both titles wait for it and are carried out', async () => {
    const database = await emptyDatabase(dialect);
    const rig = new Rig({ database });
    const [one, other] = [await newTitle(rig, 1), await newTitle(rig, 1)];
    const rename = (from: string, to: string) =>
      database.query(`ALTER TABLE ${from} RENAME TO ${to}`);
    await rename('book_user', 'book_user_away');
    const given = [borrow(newUser(), one.bookInfoId), borrow(newUser(), other.bookInfoId)];
    let tries = 0;
    rig.hooks.begin = async () => {
      // More tries than both commands together would need to be dead-lettered.
      if ((tries += 1) === 2 * POISON_TRIES_MAX + 2) await rename('book_user_away', 'book_user');
    };
    await rig.process(given);
    expect(await deadLetterIds()).toEqual([]);
    expect(rig.endings(given)).toEqual(['created', 'created']);
    expect(rig.unacknowledged).toEqual([]);
  });
});

describe.each(DIALECTS)('commands of several titles that fail alike on %s', (dialect) => {
  let rig: Rig;
  let given: readonly [Envelope, Envelope];
  let healthyTitle: number;
  beforeAll(async () => {
    const database = await emptyDatabase(dialect);
    rig = new Rig({ database, wrapLending: throwing });
  });
  beforeEach(async () => {
    poisoned.clear();
    const titles = [
      (await newTitle(rig, 1)).bookInfoId,
      (await newTitle(rig, 1)).bookInfoId,
    ] as const;
    healthyTitle = (await newTitle(rig, 1)).bookInfoId;
    for (const title of titles) poisoned.set(title, 'throws');
    given = [borrow(newUser(), titles[0]), borrow(newUser(), titles[1])];
  });

  /** More passes than a command that is at fault has tries. */
  async function passes(deliveries: readonly Delivery[]): Promise<readonly Delivery[]> {
    let left = deliveries;
    for (let pass = 0; pass < POISON_TRIES_MAX + 2; pass += 1)
      left = await rig.processor.process(left);
    return left;
  }

  it('wait for the system to be mended, and make no dead letter', async () => {
    const left = await passes(await rig.deliver(given));
    expect(left).toHaveLength(2);
    expect(await deadLetterIds()).toEqual([]);
    await waitUntil('the stall is reported', 10_000, async () => {
      await rig.processor.process(left);
      return rig.stall.reason;
    });
    expect(rig.stall.reason).toBe(
      'Commands of several aggregates fail alike: TypeError: stock is undefined',
    );
    poisoned.clear();
    await rig.processAll(left);
    expect(rig.endings(given)).toEqual(['created', 'created']);
    expect(rig.stall.reason).toBeNull();
    expect(rig.unacknowledged).toEqual([]);
  });

  it('are dead-lettered as soon as a command of their type is carried out', async () => {
    const left = await passes(await rig.deliver(given));
    const healthy = borrow(newUser(), healthyTitle);
    await rig.processAll([...left, ...(await rig.deliver([healthy]))]);
    expect(rig.endings([...given, healthy])).toEqual([COMMAND_FAILED, COMMAND_FAILED, 'created']);
    expect(await deadLetterIds()).toEqual(given.map(({ commandId }) => commandId));
    expect(rig.stall.reason).toBeNull();
    expect(rig.unacknowledged).toEqual([]);
  });

  it('wait, as do later commands of their titles, in their order behind one that waits', async () => {
    const later = given.map((one) =>
      giveBack(one.actor.userId as number, (one.payload as { bookInfoId: number }).bookInfoId),
    );
    for (const title of poisoned.keys()) poisoned.set(title, 'throws on borrows');
    const left = await passes(await rig.deliver([...given, ...later]));
    expect(rig.endings(later)).toEqual([undefined, undefined]);
    poisoned.clear();
    await rig.processAll(left);
    expect(rig.endings([...given, ...later])).toEqual(['created', 'created', 'done', 'done']);
  });

  it('do not keep other aggregates of their partitions waiting', async () => {
    const neighbours: Envelope[] = [];
    while (neighbours.length < PARTITIONS * 3)
      neighbours.push(giveBack(newUser(), (await newTitle(rig, 1)).bookInfoId));
    const left = await passes(await rig.deliver([...given, ...neighbours]));
    expect(new Set(rig.endings(neighbours))).toEqual(new Set(['BORROW_NOT_FOUND']));
    expect(rig.endings(given)).toEqual([undefined, undefined]);
    poisoned.clear();
    await rig.processAll(left);
    expect(rig.endings(given)).toEqual(['created', 'created']);
    expect(rig.unacknowledged).toEqual([]);
  });
});

describe.each(DIALECTS)('a message that is no command on %s', (dialect) => {
  let database: Sequelize;
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
  });

  it.each(['first', 'last', 'alone'])(
    'is dead-lettered as it is, with the reason, and acknowledged, when it comes %s',
    async (place) => {
      const rig = new Rig({ database });
      const { bookInfoId } = await newTitle(rig, 1);
      rig.calls.splice(0);
      const given = borrow(newUser(), bookInfoId);
      const partition = partitionName('lending', partitionOf(given.key, PARTITIONS));
      const content = `{"not":"ours","place":"${place}"}`;
      const deliveries: Delivery[] = [];
      if (place === 'last') deliveries.push(...(await rig.deliver([given])));
      deliveries.push(await rig.deliverText(partition, content));
      if (place === 'first') deliveries.push(...(await rig.deliver([given])));
      await rig.processAll(deliveries);
      const letters = await deadLettersOf();
      expect(letters.at(-1)).toMatchObject({
        partitionName: partition,
        content,
        type: null,
        aggregateKey: null,
        reason: expect.stringMatching(/not a command.*required/) as string,
      });
      expect(rig.endings([given])).toEqual([place === 'alone' ? undefined : 'created']);
      expect(rig.unacknowledged).toEqual([]);
      const next = new Rig({ database });
      await next.processAll([await next.deliverText(partition, content)]);
      expect(await deadLettersOf()).toHaveLength(letters.length);
    },
  );

  it('but one of a later release waits with what is behind it in its partition, and what stands before it is carried out', async () => {
    const rig = new Rig({ database });
    const { bookInfoId } = await newTitle(rig, 3);
    const given = [
      borrow(newUser(), bookInfoId),
      { ...borrow(newUser(), bookInfoId), type: 'lending.later' },
      borrow(newUser(), bookInfoId),
    ] as [Envelope, Envelope, Envelope];
    const before = await deadLettersOf();
    rig.calls.splice(0);
    const deliveries = await rig.deliver(given);
    await rig.processAll(deliveries);
    expect(rig.endings(given)).toEqual(['created', undefined, undefined]);
    expect(rig.unacknowledged).toHaveLength(2);
    // What comes later for the partition waits as well.
    const [later] = [borrow(newUser(), bookInfoId)];
    await rig.processAll(await rig.deliver([later]));
    expect(rig.endings([later])).toEqual([undefined]);
    expect(rig.unacknowledged).toHaveLength(3);
    expect(await deadLettersOf()).toEqual(before);
    // A worker that knows the command gets them all.
    const next = new Rig({ database });
    await next.process([given[2], later]);
    expect(next.endings([given[2], later])).toEqual(['created', 'created']);
  });

  it.each([
    [
      'with a payload that breaks the rules',
      { payload: { bookInfoId: '7', bookId: null } },
      /^the payload is not one of lending.borrow-book: /,
    ],
  ])(
    'but has the envelope of one, %s, gets a failed outcome and a reply, in its place among the commands',
    async (_, fault, reason) => {
      const rig = new Rig({ database });
      const { bookInfoId } = await newTitle(rig, 3);
      const [before, broken, after] = [
        borrow(newUser(), bookInfoId),
        { ...borrow(newUser(), bookInfoId), ...fault },
        borrow(newUser(), bookInfoId),
      ] as Envelope[];
      rig.calls.splice(0);
      const given = [before, broken, after] as [Envelope, Envelope, Envelope];
      await rig.process(given);
      // What came before it is not behind it.
      expect(rig.endings(given)).toEqual(['created', COMMAND_FAILED, COMMAND_FAILED]);
      expect(rig.unacknowledged).toEqual([]);
      expect(await deadLettersOf(keyOf(bookInfoId))).toMatchObject([
        {
          commandId: given[1].commandId,
          type: given[1].type,
          content: encodeEnvelope(given[1]),
          reason: expect.stringMatching(reason) as string,
          parked: false,
        },
        { commandId: given[2].commandId, parked: true },
      ]);
      expect(await storedOutcomes([given[1]])).toMatchObject([
        { type: given[1].type, requestId: given[1].requestId },
      ]);
      // Delivered again, for its acknowledgement was lost.
      const next = new Rig({ database });
      await next.process([given[1]]);
      expect(await deadLettersOf(keyOf(bookInfoId))).toHaveLength(2);
      expect(next.unacknowledged).toEqual([]);
    },
  );
});
