import { pino } from 'pino';
import { Op } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { OutgoingCommand } from '../../../../shared/database/tables';
import { encodeEnvelope } from '../../../../shared/messaging/envelope';
import { partitionOf } from '../../../../shared/messaging/topology';
import { Outgoing } from '../../../../workers/consumer/outgoing';
import type { Envelope } from '../../../../shared/command';
import { borrow } from '../../../support/models/lending/commands';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';

const PARTITIONS = 4;
const silent = pino({ level: 'silent' });
const partition = ({ key }: Envelope) => partitionOf(key, PARTITIONS);

/** The broker of one worker: what came into its queues, and which of them take nothing. */
class Queues {
  readonly stored: Envelope[] = [];
  readonly full = new Set<number>();
  tries = 0;

  partitionFor(envelope: Envelope): string {
    return String(partition(envelope));
  }

  async forward(envelope: Envelope): Promise<void> {
    this.tries += 1;
    await Promise.resolve();
    if (this.full.has(partition(envelope))) throw new Error('the queue is full');
    this.stored.push(envelope);
  }
}

describe.each(DIALECTS)('commands on their way to a queue on %s', (dialect) => {
  let database: Sequelize;
  let queues: Queues;
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
  });
  beforeEach(async () => {
    await OutgoingCommand.destroy({ where: {} });
    queues = new Queues();
  });

  const worker = (link = queues) => new Outgoing({ database, link, logger: silent });
  const write = (commands: readonly Envelope[]) =>
    OutgoingCommand.bulkCreate(commands.map((command) => ({ envelope: encodeEnvelope(command) })));
  const pass = async (outgoing: Outgoing) => {
    outgoing.nudge();
    await outgoing.settled();
  };
  const ofKey = (commands: readonly Envelope[], key: string) =>
    commands.filter((command) => command.key === key).map(({ commandId }) => commandId);

  it('get there, those of a key in order, and their rows go', async () => {
    const given = Array.from({ length: 500 }, (_, index) => borrow(1, 1 + (index % 9)));
    await write(given);
    await pass(worker());
    expect(queues.stored).toHaveLength(500);
    for (const { key } of given.slice(0, 9))
      expect(ofKey(queues.stored, key)).toEqual(ofKey(given, key));
    expect(await OutgoingCommand.count()).toBe(0);
  });

  it('wait for a queue that is full and hold up no other one; none overtakes another of its key', async () => {
    const given = Array.from({ length: 700 }, (_, index) => borrow(1, 1 + (index % 9)));
    await write(given);
    const closed = partition(given[0]!);
    queues.full.add(closed);
    const outgoing = worker();
    await pass(outgoing);
    const others = given.filter((command) => partition(command) !== closed);
    expect(queues.stored).toHaveLength(others.length);
    expect(await OutgoingCommand.count()).toBe(given.length - others.length);
    // Of each key of the full queue one was tried at most, so that none can overtake it.
    expect(queues.tries - others.length).toBeLessThanOrEqual(9);
    queues.full.clear();
    await pass(outgoing);
    for (const { key } of given.slice(0, 9))
      expect(ofKey(queues.stored, key)).toEqual(ofKey(given, key));
    expect(await OutgoingCommand.count()).toBe(0);
  });

  it('keep the order of their first copies when several workers bring them', async () => {
    const given = Array.from({ length: 300 }, (_, index) => borrow(1, 1 + (index % 3)));
    await write(given);
    await Promise.all([1, 2, 3].map(() => pass(worker())));
    for (const { key } of given.slice(0, 3))
      expect([...new Set(ofKey(queues.stored, key))]).toEqual(ofKey(given, key));
    expect(await OutgoingCommand.count()).toBe(0);
  });

  it('are found by a leader job when their worker is gone, and by no worker that has stopped', async () => {
    const outgoing = worker();
    const given = borrow(1, 1);
    await write([given]);
    expect(await outgoing.job.run()).toBe(false);
    expect(queues.stored).toEqual([given]);
    await outgoing.stop();
    await write([given]);
    await outgoing.job.run();
    expect(await OutgoingCommand.count()).toBe(1);
  });

  it('do not pile up without bound: when a partition could hold no more of them, nothing is to be added', async () => {
    await write(Array.from({ length: 10 }, () => borrow(1, 1)));
    const tables = ['a', 'b', 'c', 'd', 'e'].map((name) => `outgoing_command ${name}`);
    await database.query(
      `INSERT INTO outgoing_command (envelope) SELECT a.envelope FROM ${tables.join(', ')}`,
    );
    const [eleventh] = await OutgoingCommand.findAll({ order: ['seq'], offset: 10, limit: 1 });
    await OutgoingCommand.destroy({ where: { seq: { [Op.lte]: eleventh!.seq } } });
    queues.full.add(partition(borrow(1, 1)));
    const outgoing = worker();
    await pass(outgoing);
    expect(outgoing.full).toBe(false);
    await write([borrow(1, 1)]);
    await pass(outgoing);
    expect(outgoing.full).toBe(true);
    await OutgoingCommand.destroy({ where: {} });
    await pass(outgoing);
    expect(outgoing.full).toBe(false);
  });
});
