import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../../run/cleanup';
import { freePorts } from '../ports';
import { withRedis } from '../redis';
import { findProgram } from './programs';
import { startPrivate, type PrivateServer } from './private-server';
import { startRedis } from './redis';

/** How long Redis must be silent until a Sentinel counts it as down, milliseconds. */
const DOWN_MS = 1000;
const COUNT = 3;
const NAME = 'lendline';

async function startSentinel(primaryPort: string): Promise<PrivateServer> {
  const command = findProgram('redis-server', 'valkey-server');
  if (!command) throw new Error('neither redis-server nor valkey-server is installed');
  const folder = await temporaryFolder('sentinel');
  const [port = 0] = await freePorts(1);
  const file = join(folder, 'sentinel.conf');
  const lines = [
    'bind 127.0.0.1',
    `port ${port}`,
    `dir ${folder}`,
    `sentinel monitor ${NAME} 127.0.0.1 ${primaryPort} 2`,
    `sentinel down-after-milliseconds ${NAME} ${DOWN_MS}`,
    `sentinel failover-timeout ${NAME} 10000`,
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  const url = `redis://127.0.0.1:${port}`;
  return startPrivate(
    url,
    { name: 'sentinel', command, args: [file, '--sentinel'] },
    async () => (await withRedis(url, (client) => client.ping())) === 'PONG',
  );
}

export interface WatchedRedis {
  readonly primary: PrivateServer;
  readonly replica: PrivateServer;
  /** Names the Sentinels. */
  readonly url: string;
}

/** Redis with one replica, watched by three Sentinels. */
export async function startWatchedRedis(): Promise<WatchedRedis> {
  const primary = await startRedis();
  const { port } = new URL(primary.url);
  const replica = await startRedis(['--replicaof', '127.0.0.1', port]);
  const sentinels = await Promise.all(Array.from({ length: COUNT }, () => startSentinel(port)));
  const hosts = sentinels.map(({ url }) => new URL(url).host).join();
  return { primary, replica, url: `redis+sentinel://${hosts}/${NAME}` };
}
