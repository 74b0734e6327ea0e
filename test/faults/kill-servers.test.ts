import { held } from '../support/run/held';
import { startMysql } from '../support/servers/private/mysql';
import type { PrivateServer } from '../support/servers/private/private-server';
import { startRabbitmq } from '../support/servers/private/rabbitmq';
import { startRedis } from '../support/servers/private/redis';
import { startServers, type System } from '../support/service/processes';
import { audit, disagreements, prepareStorm } from '../support/check/storm-check';
import { waitUntil } from '../support/wait';

const CALLS_BETWEEN_KILLS = 150;
/**
 * How soon after a server is back calls must be answered again, on the busiest of machines,
 * milliseconds.
 */
const RECOVERY_MS = 120_000;
/** The fault that each of them is. */
const FAULT = { rabbitmq: 6, mysql: 10, redis: 19 };

type Name = keyof typeof FAULT;

describe('kill -9 of RabbitMQ, MySQL and Redis under load, each then started again', () => {
  let servers: Record<Name, PrivateServer>;
  let system: System;

  beforeAll(async () => {
    const [mysql, rabbitmq, redis] = await Promise.all([
      startMysql(),
      startRabbitmq(),
      startRedis(),
    ]);
    servers = { rabbitmq, mysql, redis };
    const mysqlUrl = Object.assign(new URL(mysql.url), { pathname: '/lendline' }).href;
    system = await startServers({
      apis: 2,
      workers: 2,
      env: {
        MYSQL_URL: mysqlUrl,
        RABBITMQ_URL: rabbitmq.url,
        RABBITMQ_MANAGEMENT_URL: rabbitmq.managementUrl,
        REDIS_URL: redis.url,
      },
    });
  }, 180_000);

  it('ends no process, loses no promised command, doubles none, and recovers without help', async () => {
    const url = system.apis[0]?.url ?? '';
    const prepared = await prepareStorm(url, system.env.JWT_SECRET ?? '', () =>
      system.apis.map((api) => api.url),
    );
    const { storm } = prepared;
    storm.start();
    const moreCalls = async (what: string) => {
      const until = storm.answered + CALLS_BETWEEN_KILLS;
      await waitUntil(
        `${CALLS_BETWEEN_KILLS} calls ${what}`,
        RECOVERY_MS,
        () => storm.answered >= until,
      );
    };
    await moreCalls('at the beginning');
    const secondsUntilAnswers: Partial<Record<Name, string>> = {};
    for (const name of Object.keys(servers) as Name[]) {
      await servers[name].kill();
      await servers[name].start();
      const back = Date.now();
      await moreCalls(`after ${name} was killed and started`);
      secondsUntilAnswers[name] = ((Date.now() - back) / 1000).toFixed(1);
    }
    await storm.stop();
    for (const { child } of [...system.apis, ...system.workers]) expect(child.running).toBe(true);
    expect(await disagreements(prepared, url)).toEqual([]);
    await audit(system.env, prepared);
    for (const name of Object.keys(servers) as Name[]) {
      const what = `no process ended, no command lost, doubled or dead-lettered, ${CALLS_BETWEEN_KILLS} calls answered ${secondsUntilAnswers[name] ?? ''} s after its return`;
      await held(FAULT[name], system.env, `killed once within ${storm.answered} calls`, what);
    }
  }, 600_000);
});
