import { setTimeout as pause } from 'node:timers/promises';
import type { Sequelize } from 'sequelize-typescript';
import { Audit } from '../../../../shared/audit/tables';
import { bookInfoKey } from '../../../../shared/lending/commands';
import { partitionName, partitionOf } from '../../../../shared/messaging/topology';
import { takeOver } from '../../../../workers/batch/ownership/fence';
import { addCopies, borrow } from '../../../support/models/lending/commands';
import { coded, fails, once } from './failing';
import { Rig } from './rig';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';
import { newUser, preparedTitle, storedOutcomes, titleRows } from './rows';

/** Batches of a worker that was replaced, or that cannot reach a server. */

const partitionOfTitle = (bookInfoId: number) =>
  partitionName('lending', partitionOf(bookInfoKey(bookInfoId), 3));

describe.each(DIALECTS)('a batch on %s', (dialect) => {
  let database: Sequelize;
  let rig: Rig;
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
  });
  beforeEach(() => {
    rig = new Rig({ database });
  });

  const prepared = (copies: number) => preparedTitle(rig, copies);

  describe('of a worker that is fenced out', () => {
    /** Another worker takes the title's partition over. */
    const loseTo = (bookInfoId: number) =>
      takeOver(database, 'another', [partitionOfTitle(bookInfoId)]);

    it('commits, answers and acknowledges nothing when the epoch was raised before it', async () => {
      const { bookInfoId } = await prepared(2);
      const [first, second] = [borrow(newUser(), bookInfoId), borrow(newUser(), bookInfoId)];
      await rig.process([first]);
      const deliveries = await rig.deliver([second]);
      await loseTo(bookInfoId);
      rig.calls.splice(0);
      await rig.processAll(deliveries);
      expect(rig.calls).toEqual([]);
      expect(deliveries[0]?.ownership.lost).toBe(true);
      expect(await storedOutcomes([second])).toEqual([]);
      expect((await titleRows(bookInfoId))[0]).toMatchObject({ availableStock: 1 });
      // Whoever holds the partition now carries it out.
      const next = new Rig({ database });
      await next.process([second]);
      expect(next.endings([second])).toEqual(['created']);
    });

    it('keeps the next owner out from its first round trip until it has ended, so that both see one order', async () => {
      const { bookInfoId } = await prepared(1);
      const [given, next] = [borrow(newUser(), bookInfoId), borrow(newUser(), bookInfoId)];
      let seenByNextOwner: Promise<number> | undefined;
      rig.hooks.between = once(async () => {
        seenByNextOwner = loseTo(bookInfoId).then(
          async () => (await storedOutcomes([given])).length,
        );
        await pause(100);
      });
      await rig.process([given]);
      expect(await seenByNextOwner).toBe(1);
      expect(rig.endings([given])).toEqual(['created']);
      await rig.process([next]);
      expect(rig.endings([next])).toEqual([undefined]);
      expect(await storedOutcomes([next])).toEqual([]);
    });

    it('still carries out the commands of the partitions that it holds', async () => {
      const titles = [await prepared(1)];
      while (
        partitionOfTitle(titles[0]?.bookInfoId ?? 0) ===
        partitionOfTitle(titles.at(-1)?.bookInfoId ?? 0)
      )
        titles.push(await prepared(1));
      const [lost, kept] = [titles[0]?.bookInfoId ?? 0, titles.at(-1)?.bookInfoId ?? 0];
      const given = [borrow(newUser(), lost), borrow(newUser(), kept), borrow(newUser(), lost)];
      const deliveries = await rig.deliver(given);
      await loseTo(lost);
      rig.calls.splice(0);
      await rig.processAll(deliveries);
      expect(rig.endings(given)).toEqual([undefined, 'created', undefined]);
      expect(deliveries.map(({ ownership }) => ownership.lost)).toEqual([true, false, true]);
      expect(rig.of('ack').map(({ partition }) => partition)).toEqual([partitionOfTitle(kept)]);
      expect((await titleRows(lost))[0]).toMatchObject({ availableStock: 1 });
    });

    it('does nothing for deliveries whose channel is gone', async () => {
      const { bookInfoId } = await prepared(1);
      const deliveries = await rig.deliver([borrow(newUser(), bookInfoId)]);
      for (const { ownership } of deliveries) ownership.lost = true;
      rig.calls.splice(0);
      await rig.processAll(deliveries);
      expect(rig.calls).toEqual([]);
      expect((await titleRows(bookInfoId))[0]).toMatchObject({ availableStock: 1 });
    });
  });

  describe('that meets servers which are unavailable', () => {
    it.each(['ECONNREFUSED', 'ER_LOCK_DEADLOCK', 'ER_LOCK_WAIT_TIMEOUT', 'SQLITE_BUSY'])(
      'is tried again after %s at either round trip, until it is done',
      async (code) => {
        const { bookInfoId } = await prepared(2);
        const given = [
          borrow(newUser(), bookInfoId),
          borrow(newUser(), bookInfoId),
          borrow(newUser(), bookInfoId),
        ];
        rig.hooks.begin = once(fails(coded(code)));
        rig.hooks.between = once(fails(coded(code)));
        await rig.process(given);
        expect(rig.endings(given)).toEqual(['created', 'created', 'OUT_OF_STOCK']);
        expect(rig.kinds()).toEqual(['bump', 'reply', 'ack']);
      },
    );

    it('has the audit of its commands in its transaction', async () => {
      const { bookInfoId } = await prepared(1);
      const given = addCopies(bookInfoId, 1);
      const { requestId } = given;
      const audited = () => Audit.count({ where: { requestId } });
      const seen: number[] = [];
      const look = async () => {
        seen.push(await audited());
      };
      rig.hooks.begin = look;
      rig.hooks.between = once(fails(coded('ER_LOCK_DEADLOCK')));
      rig.hooks.bump = look;
      await rig.process([given]);
      // Before each of two tries, and right after the commit.
      expect(seen).toEqual([0, 0, 1]);
    });

    it('is left for later, unacknowledged, when the worker stops', async () => {
      const { bookInfoId } = await prepared(1);
      const given = borrow(newUser(), bookInfoId);
      rig.hooks.begin = () => {
        rig.processor.stop();
        throw coded('ECONNREFUSED');
      };
      await rig.process([given]);
      expect(rig.calls).toEqual([]);
      expect(rig.unacknowledged).toHaveLength(1);
    });

    it('leaves no connection behind, however often it fails', async () => {
      const { bookInfoId } = await prepared(1);
      let failures = 0;
      rig.hooks.between = () => {
        // More often than the pool has connections.
        if ((failures += 1) <= 6) throw coded('ER_LOCK_DEADLOCK');
      };
      const given = borrow(newUser(), bookInfoId);
      await rig.process([given]);
      expect(failures).toBe(7);
      expect(rig.endings([given])).toEqual(['created']);
    });
  });
});
