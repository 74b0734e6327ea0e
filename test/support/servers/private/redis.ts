import { temporaryFolder } from '../../run/cleanup';
import { freePorts } from '../ports';
import { withRedis } from '../redis';
import { findProgram } from './programs';
import { LOOPBACK, type Place } from './place';
import { startPrivate, type PrivateServer } from './private-server';

/** Databases of the private server: each test that starts processes takes one. */
const DATABASES = 256;

export const redisInstalled = (): boolean => findProgram('redis-server', 'valkey-server') !== null;

/** Redis when it is installed, else Valkey. `options`: more of its options. */
export async function startRedis(
  options: readonly string[] = [],
  place: Place = LOOPBACK,
): Promise<PrivateServer> {
  const command = findProgram('redis-server', 'valkey-server');
  if (!command) throw new Error('neither redis-server nor valkey-server is installed');
  const folder = await temporaryFolder('redis');
  const [port = 0] = await freePorts(1);
  const url = `redis://${await place.reach(port)}`;
  const args = [
    '--bind',
    place.address,
    // It has no password, wherever it listens.
    '--protected-mode',
    'no',
    '--port',
    String(port),
    '--dir',
    folder,
    '--databases',
    String(DATABASES),
    '--appendonly',
    'yes',
    '--appendfsync',
    'always',
    '--save',
    '',
    ...options,
  ];
  return startPrivate(
    url,
    { name: 'redis', command, args, through: place.through },
    async () => (await withRedis(url, (client) => client.ping())) === 'PONG',
  );
}
