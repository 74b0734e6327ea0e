import { held } from '../support/run/held';
import { startServers, type Program, type System } from '../support/service/processes';
import { startProxy, type Direction, type Proxy } from '../support/faults/proxy';
import {
  audit,
  disagreements,
  prepareStorm,
  type PreparedStorm,
} from '../support/check/storm-check';
import { waitUntil } from '../support/wait';

/**
 * How long it may take until the partitions have moved, milliseconds; docs/guarantees.md says what
 * to expect.
 */
const MOVED_MS = 120_000;
/**
 * So many calls are not answered while a partition stands still, for every client would soon wait
 * for one of its titles.
 */
const CALLS = 1000;

describe('a worker that is cut off from a server under load, mostly without an error', () => {
  let system: System;
  let toMysql: Proxy;
  let othersToMysql: Proxy;
  let toRabbitmq: Proxy;
  let cutOff: Program;
  let other: Program;
  let prepared: PreparedStorm;

  beforeAll(async () => {
    system = await startServers({ workers: 0 });
    const { MYSQL_URL = '', RABBITMQ_URL = '', JWT_SECRET = '' } = system.workerEnv;
    toMysql = await startProxy(MYSQL_URL, 3306);
    othersToMysql = await startProxy(MYSQL_URL, 3306);
    toRabbitmq = await startProxy(RABBITMQ_URL, 5672);
    cutOff = await system.addWorker({ MYSQL_URL: toMysql.url, RABBITMQ_URL: toRabbitmq.url });
    other = await system.addWorker({ MYSQL_URL: othersToMysql.url });
    const url = system.apis[0]?.url ?? '';
    prepared = await prepareStorm(url, JWT_SECRET, () => [url]);
    prepared.storm.start();
  });

  const moreCalls = async (what: string) => {
    const until = prepared.storm.answered + CALLS;
    await waitUntil(`${CALLS} calls ${what}`, MOVED_MS, () => prepared.storm.answered >= until);
  };

  const says = (text: string, workers = [cutOff]) =>
    Promise.all(workers.map(({ child }) => child.nextLine(text, MOVED_MS)));

  it('MySQL: it releases its partitions, and takes some again when it reaches MySQL', async () => {
    await moreCalls('at the beginning');
    const leaves = says('partitions released');
    toMysql.stall();
    await leaves;
    await moreCalls('without the worker that is cut off');
    const returns = says('database reached again');
    toMysql.open();
    await returns;
    await moreCalls('with both workers');
  }, 500_000);

  it.each<[string, Direction | undefined]>([
    ['RabbitMQ, in both directions', undefined],
    ['RabbitMQ, in the direction to the worker', 'to client'],
    ['RabbitMQ, in the direction to the broker', 'to server'],
  ])(
    '%s: its partitions fail over, and it returns when it reaches the server again',
    async (_what, direction) => {
      const notices = says('message broker lost');
      toRabbitmq.stall(direction);
      await notices;
      await moreCalls('without the worker that is cut off');
      const returns = says('message broker connected');
      toRabbitmq.open();
      await returns;
      await moreCalls('with both workers');
    },
    500_000,
  );

  it('RabbitMQ, which resets its connection: its partitions fail over, and it returns when it reaches RabbitMQ', async () => {
    const notices = says('message broker lost');
    toRabbitmq.cut();
    await notices;
    await moreCalls('without the worker that is cut off');
    const returns = says('message broker connected');
    toRabbitmq.open();
    await returns;
    await moreCalls('with both workers');
  }, 240_000);

  it('MySQL, like all others: all workers wait until they reach it again', async () => {
    const leave = says('partitions released', [cutOff, other]);
    toMysql.stall();
    othersToMysql.stall();
    await leave;
    const returns = says('database reached again', [cutOff, other]);
    toMysql.open();
    othersToMysql.open();
    await returns;
    await moreCalls('with both workers');
  }, 500_000);

  it('no process ends, and no command is lost, doubled or dead-lettered', async () => {
    await prepared.storm.stop();
    expect([cutOff.child.running, other.child.running]).toEqual([true, true]);
    expect(await disagreements(prepared, system.apis[0]?.url ?? '')).toEqual([]);
    await audit(system.env, prepared);
    const { answered } = prepared.storm;
    await held(
      7,
      system.env,
      `once each within ${answered} calls`,
      'no process ended; its partitions went on elsewhere; no command lost, doubled, out of order or dead-lettered',
    );
    await held(
      12,
      system.env,
      'one of two workers cut off from MySQL, then both',
      'it gave its partitions up and came back; no dead letter',
    );
  }, 240_000);
});
