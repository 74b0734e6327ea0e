import { createConnection } from 'mysql2/promise';
import type { PartitionSample } from '../../../../api/console/sample';
import { openLibrary, type Library } from '../../../support/clients/books';
import { ConsoleStream } from '../../../support/clients/console';
import { startMysql } from '../../../support/servers/private/mysql';
import type { PrivateServer } from '../../../support/servers/private/private-server';
import { newSecret, startServers, type System } from '../../../support/service/processes';
import { exportedSecret, targetAt } from '../../../support/service/target';

/** What the console's stream tells while something is wrong, on a MySQL of its own. */

const COMMANDS = 5;
/** More than any command takes that nothing is in the way of, milliseconds. */
const OLD_MS = 2000;
/** How long a command may wait for a worker that has just come back, milliseconds. */
const BACK_MS = 30_000;
/** More than the worker's heartbeat may be old before it counts as gone, milliseconds. */
const GONE_MS = 6000;

let mysql: PrivateServer;
let system: System;
let library: Library;
let stream: ConsoleStream;
beforeAll(async () => {
  mysql = await startMysql();
  const MYSQL_URL = Object.assign(new URL(mysql.url), { pathname: '/lendline' }).href;
  system = await startServers({
    apis: 1,
    workers: 1,
    env: { MYSQL_URL, JWT_SECRET: exportedSecret(newSecret), API_WAIT_MS: String(BACK_MS) },
  });
  library = await openLibrary(
    targetAt(
      'servers',
      system.apis.map(({ url }) => url),
    ),
  );
  stream = await ConsoleStream.open(system.apis[0]!.url, library.target.admin);
}, 180_000);

const addCopies = async (bookInfoId: number) => {
  for (let sent = 0; sent < COMMANDS; sent += 1)
    expect(
      (
        await library.manage(
          'post',
          `/api/book-infos/${bookInfoId}/books`,
          { count: 1 },
          { Prefer: 'respond-async' },
        )
      ).status,
    ).toBe(202);
};

it('a batch that has to wait: its commands grow old in the hands of the worker that holds the partition', async () => {
  const { bookInfoId } = await library.registered();
  const inTheWay = await createConnection({ uri: system.env['MYSQL_URL']! });
  try {
    await inTheWay.beginTransaction();
    await inTheWay.query('SELECT id FROM book_info WHERE id = ? FOR UPDATE', [bookInfoId]);
    await addCopies(bookInfoId);
    // On a busy machine the first one may be old before the last one is counted.
    const isOld = ({ depth, oldestAgeMs }: PartitionSample) =>
      depth === COMMANDS && (oldestAgeMs ?? 0) > OLD_MS;
    const { partitions, workers } = await stream.until('old commands', (sample) =>
      sample.partitions.some(isOld),
    );
    expect(partitions.filter(isOld)).toMatchObject([{ owner: workers[0]?.worker }]);
  } finally {
    await inTheWay.end();
  }
  await stream.until('nothing is old any more', (sample) =>
    sample.partitions.every(({ depth, oldestAgeMs }) => depth === 0 && oldestAgeMs === null),
  );
});

it('a worker that hangs: after a while it holds nothing any more', async () => {
  const { bookInfoId } = await library.registered();
  const worker = system.workers[0]!;
  worker.child.freeze();
  await addCopies(bookInfoId);
  const { workers } = await stream.until('a late heartbeat', (sample) =>
    sample.workers.some(({ heartbeatAgeMs }) => heartbeatAgeMs > GONE_MS),
  );
  expect(workers).toHaveLength(1);
  await stream.until('partitions without an owner', (sample) =>
    sample.partitions.every(({ owner }) => owner === null),
  );
  worker.child.thaw();
  await stream.until(
    'it lives again',
    (sample) =>
      sample.workers.some(({ heartbeatAgeMs }) => heartbeatAgeMs < GONE_MS) &&
      sample.partitions.some(({ owner }) => owner !== null),
  );
});

it('no worker: the queue grows, and the age of its oldest command is unknown', async () => {
  const { bookInfoId } = await library.registered();
  await system.workers[0]!.stop();
  await addCopies(bookInfoId);
  const { partitions } = await stream.until('what waits', (sample) =>
    sample.partitions.some(({ depth }) => depth === COMMANDS),
  );
  expect(partitions.filter(({ depth }) => depth === COMMANDS)).toMatchObject([
    { owner: null, oldestAgeMs: null },
  ]);
  await system.addWorker();
  await stream.until('nothing waits any more', (sample) =>
    sample.partitions.every(({ depth }) => depth === 0),
  );
});

it('MySQL is unavailable: it says so, shows what was there, and goes on', async () => {
  const before = await stream.until('a sample', () => true);
  const { bookInfoId: queuedId } = await library.registered();
  await mysql.kill();
  const away = await stream.until('it says so', ({ databaseAway }) => databaseAway);
  expect(away.partitions.map(({ partition }) => partition)).toEqual(
    before.partitions.map(({ partition }) => partition),
  );
  await addCopies(queuedId);
  await stream.until('it goes on', ({ databaseAway, at }) => databaseAway && at > away.at);
  await mysql.start();
  await stream.until('MySQL is back', ({ databaseAway }) => !databaseAway);
  expect(stream.ended).toBe(false);
});

it('MySQL hangs: it says so, and goes on', async () => {
  mysql.child().freeze();
  try {
    await stream.until('it says so', ({ databaseAway }) => databaseAway);
  } finally {
    mysql.child().thaw();
  }
  await stream.until('MySQL is back', ({ databaseAway }) => !databaseAway);
});
