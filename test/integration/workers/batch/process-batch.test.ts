import type { Sequelize } from 'sequelize-typescript';
import type { Envelope } from '../../../../shared/command';
import { CommandOutcome } from '../../../../shared/database/tables';
import { BookUser } from '../../../../shared/lending/tables';
import { bookInfoKey } from '../../../../shared/lending/commands';
import { lendingCacheKeys } from '../../../../shared/lending/views';
import {
  addCopies,
  borrow,
  giveBack,
  register,
  renew,
  setStatus,
  update,
} from '../../../support/models/lending/commands';
import { outgoing } from './dead-letters';
import { coded, fails, once } from './failing';
import { Rig } from './rig';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';
import {
  copyRows,
  newIsbn,
  newTitle,
  newUser,
  preparedTitle,
  storedEvents,
  storedOutcomes,
  titleRows,
} from './rows';

const lentTo = (userId: number) => BookUser.findAll({ where: { userId }, raw: true });

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

  describe('ends', () => {
    it('by invalidating the cache, then replying, then acknowledging, all after the commit', async () => {
      const { bookInfoId } = await prepared(1);
      const given = borrow(newUser(), bookInfoId);
      let seenByOthers = 0;
      rig.hooks.bump = async () => {
        seenByOthers = (await storedOutcomes([given])).length;
      };
      await rig.process([given]);
      expect(rig.kinds()).toEqual(['bump', 'reply', 'ack']);
      expect(seenByOthers).toBe(1);
      expect(rig.of('bump')[0]?.subjects).toEqual([
        lendingCacheKeys.titles,
        lendingCacheKeys.bookInfo(bookInfoId),
      ]);
    });

    it('without invalidating the cache when nothing has changed', async () => {
      const { bookInfoId } = await prepared(0);
      await rig.process([borrow(newUser(), bookInfoId)]);
      expect(rig.kinds()).toEqual(['reply', 'ack']);
    });

    it('with replies that let the APIs invalidate a cache that the worker cannot reach', async () => {
      const { bookInfoId } = await prepared(1);
      const subjects = [lendingCacheKeys.titles, lendingCacheKeys.bookInfo(bookInfoId)];
      const [taken, refused] = [borrow(newUser(), bookInfoId), borrow(newUser(), bookInfoId)];
      rig.hooks.bump = fails(coded('ECONNREFUSED'));
      await rig.process([taken, refused]);
      expect(rig.kinds()).toEqual(['reply', 'ack']);
      expect(rig.of('reply')[0]?.outcomes.map(({ stale }) => stale)).toEqual([subjects, undefined]);
      rig.hooks.bump = () => undefined;
      await rig.process([taken]);
      expect(
        rig
          .of('reply')
          .at(-1)
          ?.outcomes.map(({ stale }) => stale),
      ).toEqual([undefined]);
    });

    it('with outcomes that name what to invalidate if the worker dies before it does', async () => {
      const { bookInfoId } = await prepared(1);
      const [taken, refused] = [borrow(newUser(), bookInfoId), borrow(newUser(), bookInfoId)];
      await rig.process([taken, refused]);
      const rows = await CommandOutcome.findAll({
        where: { commandId: [taken.commandId, refused.commandId] },
      });
      const subjects = new Map(rows.map((row) => [row.commandId, row.subjects]));
      expect(JSON.parse(subjects.get(taken.commandId) ?? '[]')).toEqual([
        lendingCacheKeys.titles,
        lendingCacheKeys.bookInfo(bookInfoId),
      ]);
      expect(subjects.get(refused.commandId)).toBeNull();
    });

    it('with one message to each API instance that still waits, and none to one that does not', async () => {
      const { bookInfoId } = await prepared(4);
      const [a, b, c, late] = [1, 2, 3, 4].map(() => borrow(newUser(), bookInfoId)) as [
        Envelope,
        Envelope,
        Envelope,
        Envelope,
      ];
      await rig.process([
        { ...a, replyTo: 'replies.x' },
        { ...b, replyTo: 'replies.y' },
        { ...c, replyTo: 'replies.x' },
        { ...late, replyTo: 'replies.z', replyBy: Date.now() - 1 },
      ]);
      const replies = rig
        .of('reply')
        .map(({ replyTo, outcomes }) => [replyTo, outcomes.map(({ commandId }) => commandId)]);
      expect(replies).toEqual([
        ['replies.x', [a.commandId, c.commandId]],
        ['replies.y', [b.commandId]],
      ]);
      expect(await storedOutcomes([late])).toHaveLength(1);
    });

    it('with forwarded commands kept for their queue before anything is acknowledged, and without waiting for that queue', async () => {
      const isbn = newIsbn();
      const { bookInfoId } = await newTitle(rig, 1, isbn);
      rig.calls.splice(0);
      const again = register({ isbn, copies: 1 });
      const moved = { ...again, key: bookInfoKey(bookInfoId) };
      rig.hooks.forward = once(
        fails(Object.assign(new Error('no confirm'), { code: 'ETIMEDOUT' })),
      );
      await rig.process([again]);
      expect(rig.kinds()).toEqual(['ack']);
      expect(await outgoing()).toEqual([moved]);
      expect(await storedOutcomes([again])).toEqual([]);
      rig.outgoing.nudge();
      await rig.outgoing.settled();
      expect(rig.of('forward')).toEqual([{ kind: 'forward', envelope: moved }]);
      expect(await outgoing()).toEqual([]);
      await rig.process([moved]);
      expect(rig.result(again)).toMatchObject({ bookInfoId, totalStock: 2 });
    });
  });

  it('refuses what it would have to forward while too many wait for their queues, and changes nothing', async () => {
    const isbn = newIsbn();
    await newTitle(rig, 1, isbn);
    rig.outgoing.full = true;
    const again = register({ isbn, copies: 1 });
    await rig.process([again]);
    expect(rig.endings([again])).toEqual(['UNAVAILABLE']);
    expect(await outgoing()).toEqual([]);
  });

  describe('knows', () => {
    it('a command that was carried out: it is answered from its stored outcome, byte for byte, and has one effect', async () => {
      const { bookInfoId } = await prepared(2);
      const userId = newUser();
      const [given, refused] = [borrow(userId, bookInfoId), borrow(userId, bookInfoId)];
      await rig.process([given, refused]);
      const next = new Rig({ database, now: () => new Date(Date.now() + 60_000) });
      await next.process([given, refused]);
      // When it was committed only the worker tells that did it.
      const told = JSON.stringify([...rig.replied()]);
      expect(JSON.stringify([...next.replied()])).toBe(told.replaceAll(/,"committedAt":\d+/g, ''));
      expect(rig.endings([given, refused])).toEqual(['created', 'ALREADY_BORROWED']);
      expect(await lentTo(userId)).toHaveLength(1);
      expect(await storedEvents([given.commandId, refused.commandId])).toHaveLength(1);
      expect(next.unacknowledged).toEqual([]);
    });

    it('a command that comes twice in it', async () => {
      const { bookInfoId } = await prepared(2);
      const userId = newUser();
      const given = borrow(userId, bookInfoId);
      await rig.process([given, given, borrow(newUser(), bookInfoId), given]);
      expect(rig.endings([given])).toEqual(['created']);
      expect(await lentTo(userId)).toHaveLength(1);
      expect((await titleRows(bookInfoId))[0]).toMatchObject({ availableStock: 0, borrowCount: 2 });
    });

    it('a command whose worker died after the commit: the cache is invalidated, which the dead worker may not have done', async () => {
      const { bookInfoId } = await prepared(1);
      const [given, made] = [borrow(newUser(), bookInfoId), register({ isbn: newIsbn() })];
      await rig.process([given, made]);
      const madeId = rig.result(made).bookInfoId as number;
      const next = new Rig({ database });
      await next.process([given, made]);
      expect(next.kinds()).toEqual(expect.arrayContaining(['bump']));
      expect(next.kinds().indexOf('bump')).toBeLessThan(next.kinds().indexOf('reply'));
      expect([...(next.of('bump')[0]?.subjects ?? [])].sort()).toEqual(
        [
          lendingCacheKeys.bookInfo(bookInfoId),
          lendingCacheKeys.bookInfo(madeId),
          lendingCacheKeys.titles,
        ].sort(),
      );
    });

    it('its own commands when the answer to its COMMIT is lost: one effect, the cache invalidated, one answer', async () => {
      const { bookInfoId } = await prepared(2);
      const userId = newUser();
      const given = borrow(userId, bookInfoId);
      rig.hooks.committed = once(fails(coded('PROTOCOL_CONNECTION_LOST')));
      await rig.process([given]);
      expect(rig.kinds()).toEqual(['bump', 'reply', 'ack']);
      expect(rig.endings([given])).toEqual(['created']);
      expect(await lentTo(userId)).toHaveLength(1);
      expect((await titleRows(bookInfoId))[0]).toMatchObject({ availableStock: 1, borrowCount: 1 });
    });
  });

  describe('that is large', () => {
    it('carries 500 commands for as many titles in one transaction', async () => {
      const titles = Array.from({ length: 500 }, () => register({ copies: 1 }));
      await rig.process(titles);
      const userId = newUser();
      const borrows = titles.map((title) => borrow(userId, rig.result(title).bookInfoId as number));
      rig.calls.splice(0);
      await rig.process(borrows);
      expect(rig.kinds().slice(0, 2)).toEqual(['bump', 'reply']);
      expect(new Set(rig.endings(borrows))).toEqual(new Set(['created']));
      expect(rig.of('reply')).toHaveLength(1);
      const returns = borrows.map((given) =>
        giveBack(userId, rig.result(given).bookInfoId as number, {
          borrowId: rig.result(given).borrowId as number,
        }),
      );
      await rig.process(returns);
      expect(new Set(rig.endings(returns))).toEqual(new Set(['done']));
      expect(new Set((await lentTo(userId)).map(({ status }) => status))).toEqual(
        new Set(['RETURNED']),
      );
    });

    it('is halved when it makes more rows than fit, and is acknowledged once', async () => {
      const { bookInfoId } = await prepared(0);
      const given = [1, 2, 3, 4, 5, 6].map(() => addCopies(bookInfoId, 1000));
      await rig.process(given);
      expect(given.map((one) => rig.result(one).totalStock)).toEqual([
        1000, 2000, 3000, 4000, 5000, 6000,
      ]);
      expect(
        await copyRows(
          (rig.result(given[0] as Envelope) as unknown as { items: { bookId: number }[] }).items[0]
            ?.bookId ?? 0,
        ),
      ).toHaveLength(6000);
      expect(rig.unacknowledged).toEqual([]);
    });
  });

  it('shows each command what those before it did', async () => {
    const { bookInfoId, bookIds } = await prepared(1);
    const [ann, bo] = [newUser(), newUser()];
    const copy = bookIds[0] ?? 0;
    const given = [
      ...[
        borrow(ann, bookInfoId),
        borrow(bo, bookInfoId),
        giveBack(ann, bookInfoId),
        borrow(bo, bookInfoId, copy),
        update(bookInfoId, { title: 'Renamed' }),
      ],
      ...[
        setStatus(bookInfoId, copy, 'LOST'),
        addCopies(bookInfoId, 1),
        borrow(ann, bookInfoId),
        register({ title: 'Twin', author: 'Someone' }),
        renew(bo, bookInfoId, 1),
      ],
    ];
    await rig.process(given);
    expect(rig.endings(given)).toEqual([
      'created',
      'OUT_OF_STOCK',
      'done',
      'created',
      'done',
      'done',
      'created',
      'created',
      'created',
      'BORROW_NOT_FOUND',
    ]);
    expect((await titleRows(bookInfoId))[0]).toMatchObject({
      title: 'Renamed',
      totalStock: 2,
      availableStock: 0,
      borrowCount: 3,
      version: 2,
    });
    expect(
      await CommandOutcome.count({ where: { commandId: given.map(({ commandId }) => commandId) } }),
    ).toBe(given.length);
  });

  it('moves an ISBN from one title to another, whichever has the lower id', async () => {
    const [first, second] = [newIsbn(), newIsbn()];
    const titles = [await newTitle(rig, 0, first), await newTitle(rig, 0, second)].map(
      ({ bookInfoId }) => bookInfoId,
    ) as [number, number];
    rig.calls.splice(0);
    let transactions = 0;
    rig.hooks.begin = () => void (transactions += 1);
    await rig.process([
      update(titles[1], { isbn: null }),
      update(titles[0], { isbn: second }),
      update(titles[1], { isbn: first }),
    ]);
    expect((await titleRows(titles[0])).map(({ isbn }) => isbn).slice(0, 2)).toEqual([
      second,
      first,
    ]);
    expect(transactions).toBe(1);
  });
});
