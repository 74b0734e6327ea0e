import { dirname } from 'node:path';
import type { Sequelize } from 'sequelize-typescript';
import type { Envelope } from '../../../../shared/command';
import { deleteDeadLetters, releaseDeadLetters } from '../../../../shared/database/dead-letters';
import { Audit } from '../../../../shared/audit/tables';
import { DeadLetter } from '../../../../shared/database/dead-letter-tables';
import { CommandOutcome, OutgoingCommand } from '../../../../shared/database/tables';
import { sampleOf } from '../../../support/run/amount';
import { auditedAs } from '../../../../workers/ops/dead-letters/audit';
import type { OpsAnswer } from '../../../support/service/ops-program';
import { OpsShell } from '../../../support/service/ops-shell';
import { borrow, command, register } from '../../../support/models/lending/commands';
import { faulty, deadLettersOf, outgoing, type Fault } from '../batch/dead-letters';
import { Rig } from '../batch/rig';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';
import { newTitle, newUser, titleRows } from '../batch/rows';

/**
 * The operator's commands about dead letters, with a worker that takes what comes out of the
 * queues.
 */

interface Replayed {
  readonly commandId: string;
  readonly result: string;
  readonly detail: string | null;
}

const resultsOf = (replayed: readonly Replayed[]) =>
  replayed.map(({ commandId, result, detail }) => [commandId, result, detail]);

describe.each(sampleOf(DIALECTS, 'sqlite'))('dead letters on %s', (dialect) => {
  let database: Sequelize;
  let rig: Rig;
  let shell: OpsShell;
  const faults = new Map<number, Fault>();

  beforeAll(async () => {
    database = await emptyDatabase(dialect);
    const { storage } = database.options;
    const { config } = database;
    shell = new OpsShell(
      dialect === 'sqlite'
        ? { DATA_DIR: dirname(storage ?? '') }
        : {
            MYSQL_URL: `mysql://${config.username}:${config.password ?? ''}@${config.host ?? ''}:${config.port}/${config.database}`,
          },
    );
  });

  beforeEach(async () => {
    faults.clear();
    await DeadLetter.destroy({ where: {} });
    await OutgoingCommand.destroy({ where: {} });
    rig = new Rig({ database, wrapLending: faulty(faults) });
  });

  const call = (...argv: string[]) => shell.run('dead-letters', ...argv);
  const json = async (...argv: string[]): Promise<OpsAnswer['json']> => {
    const { code, json: printed } = await call(...argv, '--json');
    return { exitCode: code, ...printed };
  };

  /** A title in quarantine: a poison, and what was parked behind it. */
  async function quarantined(
    copies: number,
    parked: number,
  ): Promise<{ key: string; bookInfoId: number; given: Envelope[] }> {
    const { bookInfoId } = await newTitle(rig, copies);
    const given = Array.from({ length: 1 + parked }, () => borrow(newUser(), bookInfoId));
    faults.set(bookInfoId, 'throws');
    await rig.process(given);
    faults.delete(bookInfoId);
    return { key: given[0]!.key, bookInfoId, given };
  }

  /** Runs a call while a worker carries out what is on its way, until the call has ended. */
  async function withWorker<T>(work: Promise<T>): Promise<T> {
    const state = { ended: false };
    void work.finally(() => (state.ended = true)).catch(() => undefined);
    while (!state.ended) {
      rig.calls.splice(0);
      rig.outgoing.nudge();
      await rig.outgoing.settled();
      await rig.process(rig.of('forward').map(({ envelope }) => envelope));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return work;
  }

  it('are listed in their order, with reason and age, by service and aggregate, page by page', async () => {
    const first = await quarantined(1, 2);
    const second = await quarantined(1, 0);
    const all = await json('list');
    expect(all).toMatchObject({ exitCode: 0, page: 1, size: 50, total: 4 });
    expect(
      all.items.map((item: { commandId: string; parked: boolean; aggregate: string }) => [
        item.commandId,
        item.parked,
        item.aggregate,
      ]),
    ).toEqual(
      [...first.given, ...second.given].map(({ commandId, key }) => [
        commandId,
        commandId !== first.given[0]?.commandId && key === first.key,
        key,
      ]),
    );
    expect(all.items[0]).toMatchObject({
      type: 'lending.borrow-book',
      reason: 'TypeError: stock is undefined',
      state: 'kept',
    });
    expect(all.items[0].ageSeconds).toBeGreaterThanOrEqual(0);
    expect(all.items[0].ageSeconds).toBeLessThan(600);
    expect(JSON.stringify(all)).not.toContain('payload');
    expect((await json('list', '--aggregate', second.key)).items).toMatchObject([
      { aggregate: second.key },
    ]);
    expect((await json('list', '--service', 'posts')).total).toBe(0);
    expect((await json('list', '--size', '3', '--page', '2')).items).toMatchObject([
      { aggregate: second.key },
    ]);
    const { output } = await call('list');
    expect(output).toMatch(/^LETTER +AGE +AGGREGATE +COMMAND +REASON$/m);
    expect(output).toMatch(
      /^\d+\* +\d+ (s|min) +book-info:\d+ +lending.borrow-book +parked behind [0-9a-f]{40}$/m,
    );
    expect(output).toMatch(/^4 dead letters, page 1 of 1$/m);
  });

  it('are shown whole, but for secrets and what a terminal would obey', async () => {
    const account = {
      ...command({ type: 'lending.delete-book-info', payload: { bookInfoId: 1 } }),
      type: 'identity.create-account',
      key: 'account:\u001b[31mann',
    };
    const payload = { username: 'ann', passwordHash: 'scrypt$secret', role: 7, isAdmin: false };
    await rig.process([{ ...account, payload }]);
    const partition = (await deadLettersOf())[0]!.partitionName;
    await rig.processAll([
      await rig.deliverText(partition, '{"username":"bo","passwordHash":"scrypt$secret'),
    ]);
    const [readable, unreadable] = await deadLettersOf();
    const shown = await json('show', String(readable!.seq));
    expect(shown).toMatchObject({
      exitCode: 0,
      commandId: account.commandId,
      message: { actor: account.actor, payload: { username: 'ann', passwordHash: '***', role: 7 } },
      outcome: { refusal: { code: 'COMMAND_FAILED' } },
    });
    const text = await json('show', unreadable!.commandId);
    expect(text).toMatchObject({
      type: null,
      aggregate: null,
      text: '{"username":"bo","passwordHash":"***"',
    });
    expect(JSON.stringify([shown, text])).not.toContain('scrypt');
    for (const argv of [['list'], ['show', String(readable!.seq)]])
      expect((await call(...argv)).output).not.toContain('\u001b');
    expect(await call('show', '999999')).toMatchObject({
      code: 1,
      output: expect.stringContaining('There is no dead letter 999999.') as string,
    });
  });

  describe('that are replayed', () => {
    it('are carried out in order, what came meanwhile behind them, with one effect each', async () => {
      const { key, bookInfoId, given } = await quarantined(2, 2);
      const replay = json('replay', '--aggregate', key);
      const late = borrow(newUser(), bookInfoId);
      // Comes while the dead letters are under way: before the worker has taken any of them.
      await rig.process([late]);
      const { exitCode, replayed, waiting } = await withWorker(replay);
      expect([exitCode, waiting]).toEqual([0, 0]);
      expect(resultsOf(replayed)).toEqual([
        [given[0]?.commandId, 'succeeded', null],
        [given[1]?.commandId, 'succeeded', null],
        [given[2]?.commandId, 'refused', 'OUT_OF_STOCK'],
        [late.commandId, 'refused', 'OUT_OF_STOCK'],
      ]);
      expect(await DeadLetter.count()).toBe(0);
      expect((await titleRows(bookInfoId))[0]).toMatchObject({ availableStock: 0, borrowCount: 2 });
    });

    it('start with the first of their aggregate, also one by one', async () => {
      const { key, given } = await quarantined(2, 1);
      const [first, second] = await deadLettersOf(key);
      expect(await call('replay', String(second!.seq))).toMatchObject({
        code: 1,
        output: expect.stringContaining(
          `Dead letter ${second!.seq} is behind dead letter ${first!.seq} of ${key}`,
        ) as string,
      });
      expect(await outgoing()).toEqual([]);
      expect(await withWorker(json('replay', given[0]!.commandId))).toMatchObject({
        exitCode: 0,
        replayed: [{ letter: first!.seq, result: 'succeeded' }],
      });
      expect(await withWorker(json('replay', String(second!.seq)))).toMatchObject({
        exitCode: 0,
        replayed: [{ result: 'succeeded' }],
      });
      expect(await DeadLetter.count()).toBe(0);
    });

    it('stay, all of their aggregate, when one fails again, and others are carried out', async () => {
      const broken = await quarantined(2, 1);
      const whole = await quarantined(2, 0);
      faults.set(broken.bookInfoId, 'throws');
      const { exitCode, replayed } = await withWorker(json('replay', '--all'));
      expect(exitCode).toBe(1);
      expect(
        replayed.map(({ aggregate, result }: { aggregate: string; result: string }) => [
          aggregate,
          result,
        ]),
      ).toEqual([
        [broken.key, 'failed again'],
        [broken.key, 'behind'],
        [whole.key, 'succeeded'],
      ]);
      expect(
        (await deadLettersOf()).map(({ commandId, released }) => [commandId, Boolean(released)]),
      ).toEqual(broken.given.map(({ commandId }) => [commandId, false]));
    });

    it('can be replayed again when a replay died half way, and nothing is done twice', async () => {
      const { key, bookInfoId, given } = await quarantined(3, 2);
      // It had released all, and one was carried out.
      await DeadLetter.update({ released: true }, { where: { aggregateKey: key } });
      await rig.process([given[0]!]);
      const { exitCode, replayed } = await withWorker(json('replay', '--aggregate', key));
      expect([exitCode, replayed.length]).toEqual([0, 2]);
      // What the first one had published comes late.
      await rig.process(given);
      expect((await titleRows(bookInfoId))[0]).toMatchObject({ availableStock: 0, borrowCount: 3 });
      expect(await DeadLetter.count()).toBe(0);
    });

    it('are not carried out any more when they were removed meanwhile', async () => {
      const { key } = await quarantined(2, 1);
      const [first, second] = await deadLettersOf(key);
      const audit = auditedAs('test');
      await deleteDeadLetters(database, [first!.seq], audit);
      await releaseDeadLetters(database, [first!.seq, second!.seq], audit);
      expect((await outgoing()).map(({ commandId }) => commandId)).toEqual([second!.commandId]);
      expect(await deleteDeadLetters(database, [second!.seq], audit)).toBe(0);
    });

    it('are reported when no worker can carry them out, and stop only their aggregate', async () => {
      const { given, key, bookInfoId } = await quarantined(2, 0);
      const unknown = {
        ...borrow(newUser(), bookInfoId),
        payload: { bookInfoId: 'none' },
        key: 'fire:1',
      } as unknown as Envelope;
      await rig.process([unknown, { ...register(), key: 'fire:1' }]);
      const { exitCode, replayed } = await withWorker(json('replay', '--all'));
      expect(exitCode).toBe(1);
      expect(resultsOf(replayed)).toEqual([
        [
          unknown.commandId,
          'cannot be replayed',
          expect.stringContaining('the payload is not one of lending.borrow-book'),
        ],
        [expect.any(String), 'behind', null],
        [given[0]!.commandId, 'succeeded', null],
      ]);
      expect((await deadLettersOf(key)).length).toBe(0);
    });
  });

  it('are discarded one by one or together; the failed outcome stays, and the last one ends the quarantine', async () => {
    const { key, bookInfoId, given } = await quarantined(2, 2);
    expect(await json('discard', given[1]!.commandId)).toEqual({
      exitCode: 0,
      discarded: 1,
      released: 0,
      lifted: [],
      quarantined: [key],
    });
    expect((await deadLettersOf(key)).map(({ commandId }) => commandId)).toEqual([
      given[0]!.commandId,
      given[2]!.commandId,
    ]);
    const released = (await deadLettersOf(key))[0]!;
    await released.update({ released: true });
    expect(await json('discard', '--aggregate', key)).toEqual({
      exitCode: 1,
      discarded: 1,
      released: 1,
      lifted: [],
      quarantined: [key],
    });
    await released.update({ released: false });
    expect(await json('discard', '--all')).toEqual({
      exitCode: 0,
      discarded: 1,
      released: 0,
      lifted: [key],
      quarantined: [],
    });
    expect(
      await CommandOutcome.count({ where: { commandId: given.map(({ commandId }) => commandId) } }),
    ).toBe(3);
    const next = borrow(newUser(), bookInfoId);
    await rig.process([...given, next]);
    expect(rig.endings([...given, next])).toEqual([
      'COMMAND_FAILED',
      'COMMAND_FAILED',
      'COMMAND_FAILED',
      'created',
    ]);
  });

  it('are in the audit and in the log with who replayed and who discarded them', async () => {
    await Audit.destroy({ where: {} });
    const { key, given } = await quarantined(2, 0);
    const { output } = await call('discard', '--aggregate', key);
    const entry = await Audit.findOne({ where: { action: 'ops.dead-letters.discard' }, raw: true });
    expect(entry).toMatchObject({
      action: 'ops.dead-letters.discard',
      actorId: null,
      actorName: expect.stringMatching(/^ops/),
      target: key,
    });
    expect(JSON.parse(entry!.details)).toMatchObject({
      commandIds: given.map(({ commandId }) => commandId),
    });
    const line = output.split('\n').find((text) => text.includes('"audit":true'));
    expect(JSON.parse(line!)).toMatchObject({
      audit: true,
      action: 'ops.dead-letters.discard',
      target: key,
      letters: expect.any(Array),
    });
  });
});
