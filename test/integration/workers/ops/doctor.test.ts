import { rm } from 'node:fs/promises';
import { connect } from 'amqplib';
import { createConnection } from 'mysql2/promise';
import { startService } from '../../../support/service/start-service';
import { OpsShell } from '../../../support/service/ops-shell';
import { startServers, type Environment } from '../../../support/service/processes';
import { waitUntil } from '../../../support/wait';

/** What `ops doctor` says of installations that are well, and of those that are not. */

const SERVED_MS = 30_000;

interface Finding {
  readonly about: string;
  readonly state: string;
  readonly found: string;
  readonly advice: string | null;
}

/** Of all environments here. */
const shell = new OpsShell();

async function examine(env: Environment) {
  const { code, json } = await shell.runIn(env, 'doctor', '--json');
  const findings = json.findings as Finding[];
  const of = (about: string) => findings.filter((finding) => finding.about === about);
  return {
    code,
    faults: findings.filter(({ state }) => state === 'fault').map(({ about }) => about),
    of,
  };
}

let served: Environment;
beforeAll(async () => {
  ({ env: served } = await startServers({ apis: 0, workers: 2 }));
});

it('finds no fault where workers serve every partition (servers)', async () => {
  const { of, faults } = await waitUntil('partitions are served', SERVED_MS, async () => {
    const examined = await examine(served);
    return examined.code === 0 && examined;
  });
  expect(faults).toEqual([]);
  for (const about of [
    'configuration',
    'MySQL',
    'durability',
    'clock',
    'schema',
    'RabbitMQ',
    'partitions',
    'owners',
    'dead letters',
    'events',
  ])
    expect(of(about)).toMatchObject([{ state: 'ok' }]);
  expect(of('workers')).toMatchObject([{ found: expect.stringMatching(/^2: /) }]);
  const { code, output } = await shell.runIn(served, 'doctor');
  expect({ code, output }).toEqual({
    code: 0,
    output: expect.stringMatching(/^ok +MySQL +\S.*^0 faults/ms),
  });
});

it('names drained workers, and finds a fault when no other one serves (servers)', async () => {
  const database = await createConnection(served.MYSQL_URL ?? '');
  const drained = async (sql: string, found: RegExp) => {
    await database.query(sql);
    return waitUntil('it is named', SERVED_MS, async () => {
      const examined = await examine(served);
      return found.test(examined.of('workers')[0]?.found ?? '') && examined;
    });
  };
  const one = "UPDATE worker_heartbeat SET state = 'draining' ORDER BY worker LIMIT 1";
  expect((await drained(one, /^1: \S+; 1 drained: \S+$/)).of('workers')).toMatchObject([
    { state: 'ok' },
  ]);
  const both = "UPDATE worker_heartbeat SET state = 'draining'";
  const none = await drained(both, /^2 drained: /);
  expect(none.faults).toContain('workers');
  expect(none.of('workers')).toMatchObject([{ advice: expect.stringContaining('Restart one') }]);
  await database.end();
});

it('finds what is wrong, and says what to do (servers)', async () => {
  const { env } = await startServers({ workers: 0 });
  const wrong = await examine({ ...env, LOAN_DAYS: 'many', JWT_SECRET: '' });
  expect(wrong).toMatchObject({ code: 1, faults: ['configuration', 'workers', 'partitions'] });
  expect(wrong.of('configuration')).toMatchObject([
    { found: expect.stringContaining('LOAN_DAYS') },
  ]);
  expect(wrong.of('workers')).toMatchObject([
    { found: 'none', advice: expect.stringContaining('start:worker') },
  ]);
  const connection = await connect(env.RABBITMQ_URL ?? '');
  const channel = await connection.createChannel();
  await channel.deleteQueue('lending.commands.03');
  await channel.deleteQueue('posts.commands.01');
  await channel.assertQueue('posts.commands.01', { durable: true });
  await connection.close();
  expect((await examine(env)).of('partitions').map(({ found }) => found)).toEqual([
    'lending.commands.03 is missing',
    'posts.commands.01 is declared with other arguments',
    expect.stringMatching(/ and \d+ more are without a worker$/),
  ]);
  const database = await createConnection(env.MYSQL_URL ?? '');
  await database.query(`DELETE FROM partition_owner WHERE partition_name LIKE 'posts.%.0_'`);
  expect((await examine(env)).of('owners')).toMatchObject([
    { state: 'fault', found: 'posts.commands.00 and 9 more have no row in partition_owner' },
  ]);
  expect((await shell.runIn(env, 'migrate')).code).toBe(0);
  expect((await examine(env)).of('owners')).toMatchObject([{ state: 'ok' }]);
  await database.query(`DELETE FROM migration WHERE name = '0012-search-orders'`);
  await database.end();
  expect((await examine(env)).of('schema')).toMatchObject([
    { state: 'fault', found: '0012-search-orders missing', advice: 'Run npm run migrate.' },
  ]);
}, 240_000);

it('names each server that is not there', async () => {
  const away = {
    ...served,
    MYSQL_URL: 'mysql://root:s3cret@127.0.0.1:9/lendline',
    RABBITMQ_URL: 'amqp://guest:s3cret@127.0.0.1:9',
    REDIS_URL: 'redis://:s3cret@127.0.0.1:9',
  };
  expect(await examine(away)).toMatchObject({ code: 1, faults: ['MySQL', 'RabbitMQ', 'Redis'] });
  expect((await shell.runIn(away, 'doctor')).output).not.toContain('s3cret');
});

it('looks at the data folder of the embedded default, running or not', async () => {
  const { env } = await startService({ on: 'embedded' });
  const { code, of, faults } = await examine(env);
  expect({ code, faults }).toEqual({ code: 0, faults: [] });
  for (const about of ['configuration', 'schema', 'file', 'command log', 'owners', 'dead letters'])
    expect(of(about)).toMatchObject([{ state: 'ok' }]);
  await rm(`${env.DATA_DIR}/lendline.sqlite`);
  expect(await examine(env)).toMatchObject({ code: 1, faults: ['data folder'] });
});
