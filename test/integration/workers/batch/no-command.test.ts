import type { Sequelize } from 'sequelize-typescript';
import type { Delivery } from '../../../../shared/messaging/transport';
import { COMMAND_FAILED, type Envelope } from '../../../../shared/command';
import { encodeEnvelope } from '../../../../shared/messaging/envelope';
import { partitionName, partitionOf } from '../../../../shared/messaging/topology';
import { borrow } from '../../../support/models/lending/commands';
import { deadLettersOf } from './dead-letters';
import { Rig } from './rig';
import { DIALECTS, emptyDatabase, PARTITIONS } from '../../../support/servers/database';
import { newTitle, newUser, preparedTitle, storedOutcomes } from './rows';

/** Messages that cannot be read as a command, or not by this release. */

const keyOf = (bookInfoId: number) => `book-info:${bookInfoId}`;

describe.each(DIALECTS)('a message that is no command on %s', (dialect) => {
  let database: Sequelize;
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
  });

  it.each(['first', 'last', 'alone'])(
    'is dead-lettered as it is, with the reason, and acknowledged, when it comes %s',
    async (place) => {
      const rig = new Rig({ database });
      const { bookInfoId } = await preparedTitle(rig, 1);
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

  it('is not dead-lettered when it is of a later release: it waits with what is behind it in its partition, and what is before it is carried out', async () => {
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
