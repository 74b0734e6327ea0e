import { pino } from 'pino';
import type { Sequelize } from 'sequelize-typescript';
import { connectDatabase } from '../../../../shared/database/connect';
import { WorkerHeartbeat } from '../../../../shared/database/worker-tables';
import { Balance } from '../../../../workers/consumer/balance';
import type { PartitionConsumer } from '../../../../workers/consumer/partition';
import { ranking } from '../../../../workers/consumer/score';
import { migratedDatabase } from '../../../support/servers/database';
import { startProxy } from '../../../support/faults/proxy';
import { waitUntil } from '../../../support/wait';

const NAME = 'lending.commands.00';
const WORKER = 'worker';
/** Workers that come before ours in rank, and one that comes after it. */
const [BEFORE, ALSO_BEFORE] = [othersRanked(0)[0] ?? '', othersRanked(0)[1] ?? ''];
const AFTER = othersRanked(1)[0] ?? '';
/** Beats that show a habit, and the time between them, milliseconds: less than workers take. */
const BEATS = 5;
const BEAT_MS = 200;
const SOON_MS = 30_000;
/** After which time a server that says nothing is given up, milliseconds. */
const SILENT_MS = 5000;
/**
 * How long a worker may take to give its partitions up, or to take them again, milliseconds:
 * several times what it does.
 */
const LEFT_MS = 60_000;

function othersRanked(place: number): string[] {
  return Array.from({ length: 100 }, (_, index) => `other-${index}`).filter(
    (other) => ranking([WORKER, other], NAME)[place] === other,
  );
}

/** Somebody else, whose heart beats for as long as the test runs. */
const immortal = (worker: string) =>
  WorkerHeartbeat.create({ worker, beatAt: new Date('2100-01-01T00:00:00Z') });

describe('the balance', () => {
  let url: string;
  let database: Sequelize;
  let running: Balance[] = [];

  beforeEach(async () => {
    url = await migratedDatabase('mysql');
    database = connectDatabase({ url, poolMax: 2 });
  });

  afterEach(async () => {
    for (const balance of running) await balance.stop();
    running = [];
    await database.close();
  });

  /** A worker's balance for one partition, which writes down what it is asked to do. */
  async function started(brokerVersion: string) {
    const asked: string[] = [];
    const broker = { connected: true, chosen: true, waits: false };
    const ask = (what: string) => Promise.resolve(void asked.push(what));
    const consumer = {
      get active() {
        return this.subscribed && broker.chosen;
      },
      get subscribed() {
        return asked.at(-1) === 'subscribe';
      },
      get waits() {
        return broker.waits;
      },
      subscribe: () => void ask('subscribe'),
      unsubscribe: () => ask('unsubscribe'),
      abandon: () => void ask('abandon'),
    };
    const consumers = new Map([[NAME, consumer as unknown as PartitionConsumer]]);
    const balance = new Balance(
      {
        database,
        worker: WORKER,
        brokerVersion,
        connected: () => broker.connected,
        consumers,
        inHand: () => ({}),
        fault: () => null,
        logger: pino({ level: 'silent' }),
      },
      BEAT_MS,
    );
    running.push(balance);
    await balance.start();
    return {
      balance,
      asked,
      broker,
      beats: () => waitUntil(`${BEATS} beats`, SOON_MS, () => asked.length >= BEATS),
    };
  }

  it('before RabbitMQ 4 subscribes to what the worker is first or second for', async () => {
    await immortal(AFTER);
    const { asked, beats } = await started('3.10.8');
    await beats();
    expect(new Set(asked)).toEqual(new Set(['subscribe']));
  });

  it('before RabbitMQ 4 steps back from what another is first for, but not again and again when that one does not take it', async () => {
    const { asked, beats } = await started('3.10.8');
    await immortal(BEFORE);
    await waitUntil('it steps back', SOON_MS, () => asked.includes('unsubscribe'));
    asked.splice(0, asked.length, 'unsubscribe');
    await beats();
    expect(asked.filter((what) => what === 'unsubscribe')).toHaveLength(1);
  });

  it('before RabbitMQ 4 lets who is first subscribe before it, also when both start in the same moment', async () => {
    await immortal(BEFORE);
    const { asked, broker, beats } = await started('3.10.8');
    broker.chosen = false;
    await beats();
    expect(asked.slice(0, 2)).toEqual(['unsubscribe', 'subscribe']);
    expect(asked.filter((what) => what === 'unsubscribe')).toHaveLength(1);
  });

  it('before RabbitMQ 4 leaves to others what they are first and second for', async () => {
    await immortal(BEFORE);
    await immortal(ALSO_BEFORE);
    const { asked, beats } = await started('3.10.8');
    await beats();
    expect(new Set(asked)).toEqual(new Set(['unsubscribe']));
  });

  it.each(['3.10.8', '4.2.1'])(
    'leaves a partition with a command of a later release to a worker that has not met it (RabbitMQ %s)',
    async (version) => {
      const { asked, broker, beats } = await started(version);
      broker.waits = true;
      await beats();
      // Alone, it keeps the partition.
      expect(new Set(asked)).toEqual(new Set(['subscribe']));
      await immortal(AFTER);
      await waitUntil('it is left', SOON_MS, () => asked.includes('unsubscribe'));
      broker.waits = false;
      asked.splice(0);
      await beats();
      expect(new Set(asked)).toEqual(new Set(['unsubscribe']));
      // The other does not know it either.
      await database.query('UPDATE worker_heartbeat SET left_to_later = ? WHERE worker = ?', {
        replacements: [JSON.stringify([NAME]), AFTER],
      });
      await waitUntil('it is served', SOON_MS, () => asked.includes('subscribe'));
    },
  );

  it.each(['3.10.8', '4.2.1'])(
    'hands every partition over when the worker is drained, reports it, and takes them again when it is told to (RabbitMQ %s)',
    async (version) => {
      const { asked, beats } = await started(version);
      await beats();
      const tell = (state: string) =>
        database.query('UPDATE worker_heartbeat SET state = ? WHERE worker = ?', {
          replacements: [state, WORKER],
        });
      const stateOf = async () => (await WorkerHeartbeat.findByPk(WORKER))?.state;
      expect(await stateOf()).toBe('serving');
      await tell('draining');
      await waitUntil('it is drained', SOON_MS, async () => (await stateOf()) === 'drained');
      asked.splice(0);
      await beats();
      expect(new Set(asked)).toEqual(new Set(['unsubscribe']));
      await tell('serving');
      await waitUntil('it serves', SOON_MS, () => asked.includes('subscribe'));
      expect(await stateOf()).toBe('serving');
    },
  );

  it('stays drained when its row is lost', async () => {
    const { asked, beats } = await started('4.2.1');
    await WorkerHeartbeat.update({ state: 'draining' }, { where: { worker: WORKER } });
    await waitUntil('it is drained', SOON_MS, async () => {
      const row = await WorkerHeartbeat.findByPk(WORKER);
      return row?.state === 'drained' && asked.includes('unsubscribe');
    });
    await waitUntil('it knows', SOON_MS, () => asked.length > BEATS);
    await WorkerHeartbeat.destroy({ where: { worker: WORKER } });
    asked.splice(0);
    await beats();
    expect(new Set(asked)).toEqual(new Set(['unsubscribe']));
    expect((await WorkerHeartbeat.findByPk(WORKER))?.state).toBe('drained');
  });

  it('before RabbitMQ 4 does not rank a worker that is drained', async () => {
    await immortal(BEFORE);
    await immortal(ALSO_BEFORE);
    const { asked, beats } = await started('3.10.8');
    await WorkerHeartbeat.update(
      { state: 'draining' },
      { where: { worker: [BEFORE, ALSO_BEFORE] } },
    );
    await waitUntil('it serves', SOON_MS, () => asked.includes('subscribe'));
    asked.splice(0);
    await beats();
    expect(new Set(asked)).toEqual(new Set(['subscribe']));
  });

  it('from RabbitMQ 4 on subscribes to everything', async () => {
    await immortal(BEFORE);
    await immortal(ALSO_BEFORE);
    const { asked, beats } = await started('4.2.1');
    await beats();
    expect(new Set(asked)).toEqual(new Set(['subscribe']));
  });

  it('sends no heartbeat while the broker is unreachable, so that others stop ranking the worker', async () => {
    const { asked, broker, beats } = await started('3.10.8');
    broker.connected = false;
    await waitUntil('its row grows old', SOON_MS, async () => {
      const [rows] = await database.query(
        'SELECT 1 FROM worker_heartbeat WHERE beat_at < NOW(3) - INTERVAL 3 SECOND',
      );
      return rows.length === 1;
    });
    expect(asked).not.toContain('abandon');
    broker.connected = true;
    await beats();
  });

  it(
    'gives up what it has when MySQL says nothing for a while, and takes it again when MySQL answers',
    async () => {
      const proxy = await startProxy(url, 3306);
      await database.close();
      database = connectDatabase({ url: proxy.url, poolMax: 2, answerMs: SILENT_MS });
      const { balance, asked } = await started('4.2.1');
      proxy.stall();
      await waitUntil('its partitions are given up', LEFT_MS, () => asked.includes('abandon'));
      expect(balance.fault).toMatch(/^MySQL has taken no heartbeat for 15 s: ./);
      asked.splice(0);
      proxy.open();
      await waitUntil('they are taken again', LEFT_MS, () => asked.includes('subscribe'));
      expect(balance.fault).toBeNull();
    },
    3 * LEFT_MS,
  );

  it('takes a worker that leaves out of the ranking at once', async () => {
    const { balance, asked } = await started('3.10.8');
    await balance.stop();
    expect(asked.at(-1)).toBe('unsubscribe');
    expect(await WorkerHeartbeat.count()).toBe(0);
  });
});
