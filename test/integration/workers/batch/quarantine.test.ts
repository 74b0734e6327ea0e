import type { Sequelize } from 'sequelize-typescript';
import { COMMAND_FAILED, type Envelope } from '../../../../shared/command';
import { DeadLetter } from '../../../../shared/database/dead-letter-tables';
import { CommandOutcome } from '../../../../shared/database/tables';
import { borrow, giveBack, register } from '../../../support/models/lending/commands';
import {
  faulty,
  deadLetterIds,
  deadLettersOf,
  outgoing,
  release,
  type Fault,
} from './dead-letters';
import { Rig } from './rig';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';
import { newIsbn, newTitle, newUser, storedEvents, storedOutcomes, titleRows } from './rows';

/** As many dead letters as an aggregate may have. */
const DEAD_LETTERS_PER_AGGREGATE_MAX = 1000;

const idsOf = (envelopes: readonly Envelope[]) => envelopes.map(({ commandId }) => commandId);

/** The stored ends of commands: the code of a refusal, or the status. */
async function storedEndings(envelopes: readonly Envelope[]): Promise<(string | undefined)[]> {
  const stored = new Map(
    (await storedOutcomes(envelopes)).map(({ commandId, ending }) => [
      commandId,
      JSON.parse(ending) as { status: string; refusal?: { code: string } },
    ]),
  );
  return envelopes.map(
    ({ commandId }) => stored.get(commandId)?.refusal?.code ?? stored.get(commandId)?.status,
  );
}

describe.each(DIALECTS)('an aggregate with a dead letter on %s', (dialect) => {
  let database: Sequelize;
  let rig: Rig;
  const faults = new Map<number, Fault>();
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
  });
  beforeEach(async () => {
    faults.clear();
    await DeadLetter.destroy({ where: {} });
    rig = new Rig({ database, wrapLending: faulty(faults) });
  });

  /** A title of which a command was dead-lettered, and that command. */
  async function quarantined(copies: number) {
    const { bookInfoId } = await newTitle(rig, copies);
    const poison = borrow(newUser(), bookInfoId);
    faults.set(bookInfoId, 'throws');
    await rig.process([poison]);
    faults.delete(bookInfoId);
    rig.calls.splice(0);
    return { bookInfoId, poison, key: poison.key };
  }

  describe('in quarantine', () => {
    it('has later commands parked behind it, in order, also by another worker, while other aggregates continue', async () => {
      const { bookInfoId, poison, key } = await quarantined(5);
      const other = (await newTitle(rig, 5)).bookInfoId;
      const given = [
        borrow(newUser(), bookInfoId),
        borrow(newUser(), other),
        borrow(newUser(), bookInfoId),
      ] as [Envelope, Envelope, Envelope];
      await rig.process(given);
      expect(rig.endings(given)).toEqual([COMMAND_FAILED, 'created', COMMAND_FAILED]);
      expect(rig.replied().get(given[0].commandId)?.ending).toMatchObject({
        refusal: { detail: expect.stringContaining(`${key} could not be carried out`) as string },
      });
      const next = new Rig({ database });
      const more = [borrow(newUser(), bookInfoId), borrow(newUser(), other)] as [
        Envelope,
        Envelope,
      ];
      await next.process(more);
      expect(next.endings(more)).toEqual([COMMAND_FAILED, 'created']);
      expect(await deadLetterIds()).toEqual(idsOf([poison, given[0], given[2], more[0]]));
      expect(
        (await deadLettersOf(key)).map(({ parked, reason }) => [Boolean(parked), reason]),
      ).toEqual([
        [false, 'TypeError: stock is undefined'],
        ...[1, 2, 3].map(() => [true, `parked behind ${poison.commandId}`]),
      ]);
      expect(await storedEndings([given[0], given[2], more[0]])).toEqual([
        COMMAND_FAILED,
        COMMAND_FAILED,
        COMMAND_FAILED,
      ]);
      expect((await titleRows(bookInfoId))[0]).toMatchObject({ availableStock: 5, borrowCount: 0 });
      expect(rig.unacknowledged).toEqual([]);
    });

    it('answers a command from before its quarantine as before, and parks nothing twice', async () => {
      const { bookInfoId } = await newTitle(rig, 5);
      const before = borrow(newUser(), bookInfoId);
      const poison = borrow(newUser(), bookInfoId);
      await rig.process([before]);
      faults.set(bookInfoId, 'throws');
      const parked = borrow(newUser(), bookInfoId);
      await rig.process([poison, parked, parked]);
      rig.calls.splice(0);
      await rig.process([before, parked, poison, before]);
      expect(rig.endings([before, parked, poison])).toEqual([
        'created',
        COMMAND_FAILED,
        COMMAND_FAILED,
      ]);
      expect(await deadLetterIds()).toEqual(idsOf([poison, parked]));
    });

    it('carries out nothing that was not released', async () => {
      const { bookInfoId, poison, key } = await quarantined(1);
      const behind = borrow(newUser(), bookInfoId);
      await rig.process([behind]);
      await rig.process([poison, behind]);
      expect(rig.endings([poison, behind])).toEqual([COMMAND_FAILED, COMMAND_FAILED]);
      await release((await deadLettersOf(key)).slice(1));
      await rig.process([behind]);
      expect(await deadLetterIds(key)).toEqual(idsOf([poison, behind]));
      expect((await titleRows(bookInfoId))[0]).toMatchObject({ borrowCount: 0 });
    });

    it('refuses further commands for good once too many wait, and says so', async () => {
      const { bookInfoId, key } = await quarantined(1);
      const [letter] = await deadLettersOf(key);
      const { type, aggregateKey, partitionName, content, reason, deadAt } = letter!;
      const row = { type, aggregateKey, partitionName, content, reason, deadAt, parked: true };
      const fill = Array.from({ length: DEAD_LETTERS_PER_AGGREGATE_MAX - 2 }, (_, index) => ({
        ...row,
        commandId: `filling-${index}`,
      }));
      await DeadLetter.bulkCreate(fill);
      const given = [borrow(newUser(), bookInfoId), borrow(newUser(), bookInfoId)] as [
        Envelope,
        Envelope,
      ];
      await rig.process(given);
      expect(rig.endings(given)).toEqual([COMMAND_FAILED, COMMAND_FAILED]);
      expect(rig.replied().get(given[1].commandId)?.ending).toMatchObject({
        refusal: { detail: expect.stringContaining('refused for good') as string },
      });
      expect(await DeadLetter.count()).toBe(DEAD_LETTERS_PER_AGGREGATE_MAX);
      expect((await deadLetterIds(key)).at(-1)).toBe(given[0].commandId);
    });

    it('has no timed command parked or failed: it is sent again as long as it is due', async () => {
      const { bookInfoId, key } = await quarantined(1);
      const given = { ...borrow(newUser(), bookInfoId), replyTo: 'nobody', replyBy: 0 };
      await rig.process([given]);
      expect(rig.kinds()).toEqual(['ack']);
      expect(await storedOutcomes([given])).toEqual([]);
      expect(await deadLettersOf(key)).toHaveLength(1);
      await DeadLetter.destroy({ where: {} });
      await rig.process([given]);
      expect(await storedEndings([given])).toEqual(['succeeded']);
    });

    it('continues when its last dead letter is discarded', async () => {
      const { bookInfoId, poison } = await quarantined(1);
      await DeadLetter.destroy({ where: {} });
      const given = borrow(newUser(), bookInfoId);
      await rig.process([poison, given]);
      expect(rig.endings([poison, given])).toEqual([COMMAND_FAILED, 'created']);
    });
  });

  describe('that is replayed', () => {
    it('has each command carried out once, in order: its new outcome replaces the failed one, and the quarantine ends', async () => {
      const { bookInfoId, poison, key } = await quarantined(1);
      const user = newUser();
      const behind = [
        giveBack(poison.actor.userId ?? 0, bookInfoId),
        borrow(user, bookInfoId),
        borrow(newUser(), bookInfoId),
      ];
      await rig.process(behind);
      const replayed = await release(await deadLettersOf(key));
      expect(replayed).toEqual([poison, ...behind]);
      rig.calls.splice(0);
      const after = borrow(newUser(), bookInfoId);
      await rig.process([...replayed, after]);
      expect(rig.endings([...replayed, after])).toEqual([
        'created',
        'done',
        'created',
        'OUT_OF_STOCK',
        'OUT_OF_STOCK',
      ]);
      expect(await storedEndings(replayed)).toEqual([
        'succeeded',
        'succeeded',
        'succeeded',
        'OUT_OF_STOCK',
      ]);
      expect(await deadLettersOf()).toEqual([]);
      expect((await titleRows(bookInfoId))[0]).toMatchObject({ availableStock: 0, borrowCount: 2 });
      expect(await storedEvents(idsOf(replayed))).toHaveLength(3);
    });

    it('keeps its order when a replay is published twice, too early, in part, or in the wrong order', async () => {
      const { bookInfoId, poison, key } = await quarantined(1);
      const [second, third] = [
        giveBack(poison.actor.userId ?? 0, bookInfoId),
        borrow(newUser(), bookInfoId),
      ];
      await rig.process([second, third]);
      await release(await deadLettersOf(key));
      rig.calls.splice(0);
      await rig.process([third, second]);
      expect(await deadLetterIds(key)).toEqual(idsOf([poison, second, third]));
      expect((await titleRows(bookInfoId))[0]).toMatchObject({ borrowCount: 0 });
      await rig.process([second, poison, poison, third, second, poison, third, third]);
      expect(rig.endings([poison, second, third])).toEqual(['created', 'done', 'created']);
      expect(await deadLettersOf()).toEqual([]);
      expect((await titleRows(bookInfoId))[0]).toMatchObject({ availableStock: 0, borrowCount: 2 });
      expect(await storedEvents(idsOf([poison, second, third]))).toHaveLength(3);
    });

    it('parks commands that arrive between its replayed commands behind the last of them', async () => {
      const { bookInfoId, poison, key } = await quarantined(1);
      const behind = giveBack(poison.actor.userId ?? 0, bookInfoId);
      await rig.process([behind]);
      await release(await deadLettersOf(key));
      const between = borrow(newUser(), bookInfoId);
      rig.calls.splice(0);
      await rig.process([poison, between, behind]);
      expect(rig.endings([poison, between, behind])).toEqual(['created', COMMAND_FAILED, 'done']);
      expect(await deadLetterIds(key)).toEqual([between.commandId]);
      await rig.process(await release(await deadLettersOf(key)));
      expect(rig.endings([between])).toEqual(['created']);
      expect(await deadLettersOf()).toEqual([]);
    });

    it('keeps all its letters, in their order and with the new reason, when its replay fails again', async () => {
      const { bookInfoId, poison, key } = await quarantined(1);
      const behind = [borrow(newUser(), bookInfoId), borrow(newUser(), bookInfoId)];
      await rig.process(behind);
      faults.set(bookInfoId, 'throws');
      // As after a day: the failed outcomes are forgotten, the dead letters are not.
      await CommandOutcome.destroy({ where: { commandId: idsOf([poison, ...behind]) } });
      const earlier = (await deadLettersOf(key))[0]!;
      const replayed = await release(await deadLettersOf(key));
      rig.calls.splice(0);
      await rig.process(replayed);
      expect(rig.endings([poison])).toEqual([COMMAND_FAILED]);
      const letters = await deadLettersOf(key);
      expect(
        letters.map(({ commandId, released, seq }) => [commandId, Boolean(released), seq]),
      ).toEqual(replayed.map(({ commandId }, index) => [commandId, false, earlier.seq + index]));
      expect(letters[0]?.deadAt.getTime()).toBeGreaterThan(earlier.deadAt.getTime());
      faults.delete(bookInfoId);
      await rig.process(await release(letters));
      expect(rig.endings(replayed)).toEqual(['created', 'OUT_OF_STOCK', 'OUT_OF_STOCK']);
      expect(await deadLettersOf()).toEqual([]);
    });

    it('has a replayed command forwarded to another aggregate, as if it had not failed', async () => {
      const isbn = newIsbn();
      const poison = register({ isbn, copies: 2 });
      const stuck = new Rig({
        database,
        wrapLending: (service) => ({
          ...service,
          plan: () => {
            throw new TypeError('no plan');
          },
        }),
      });
      await stuck.process([poison]);
      expect(await deadLetterIds(poison.key)).toEqual([poison.commandId]);
      // The title was made in another way meanwhile.
      const { bookInfoId } = await newTitle(rig, 1);
      await database.query('UPDATE book_info SET isbn = ? WHERE id = ?', {
        replacements: [isbn, bookInfoId],
      });
      rig.hooks.forward = () => Promise.reject(new Error('later'));
      await rig.process(await release(await deadLettersOf()));
      expect(await deadLettersOf()).toEqual([]);
      expect(await storedOutcomes([poison])).toEqual([]);
      const [moved] = await outgoing();
      expect(moved).toEqual({ ...poison, key: `book-info:${bookInfoId}` });
      await rig.process([moved!]);
      expect(rig.result(poison)).toMatchObject({ bookInfoId, totalStock: 3 });
    });
  });

  it('costs a batch no round trip, in quarantine or not', async () => {
    const { bookInfoId } = await quarantined(1);
    const other = (await newTitle(rig, 1)).bookInfoId;
    let transactions = 0;
    rig.hooks.begin = () => void (transactions += 1);
    await rig.process([borrow(newUser(), bookInfoId), borrow(newUser(), other)]);
    expect(transactions).toBe(1);
  });
});

it('keeps a limited number of dead letters: a command beyond the limit is answered and dropped', async () => {
  const database = await emptyDatabase('sqlite');
  await database.query(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 99999)
     INSERT INTO dead_letter (command_id, partition_name, content, reason, dead_at) SELECT 'filling-' || i, 'lending.commands.00', 'x', 'full', '2024-01-01 00:00:00.000 +00:00' FROM n`,
  );
  const faults = new Map<number, Fault>();
  const rig = new Rig({ database, wrapLending: faulty(faults) });
  const titles = [(await newTitle(rig, 1)).bookInfoId, (await newTitle(rig, 1)).bookInfoId];
  for (const title of titles) faults.set(title, 'throws');
  const given = titles.map((title) => borrow(newUser(), title));
  const healthy = borrow(newUser(), (await newTitle(rig, 1)).bookInfoId);
  await rig.process([...given, healthy]);
  expect(rig.endings(given)).toEqual([COMMAND_FAILED, COMMAND_FAILED]);
  expect(await DeadLetter.count()).toBe(100_000);
  expect(await deadLettersOf(given[1]!.key)).toEqual([]);
});
