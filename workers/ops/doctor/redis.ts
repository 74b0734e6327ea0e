import { RedisAddress } from '../../../shared/cache/redis-address';
import { makeRedisClient } from '../../../shared/cache/redis-client';
import { withoutSecrets } from '../../../shared/shown-url';
import { fault, isAtLeast, ok, versionOf, warning, type Finding } from './finding';

/** How long Redis may take to answer, milliseconds. */
const ANSWER_MS = 5000;

/**
 * Examines Redis or Valkey: its version, and what it does when its memory is full. Without it,
 * reads go to the database, so nothing here is a fault.
 */
export async function examineRedis(url: string): Promise<Finding[]> {
  const address = new RedisAddress(url);
  try {
    return await examineAt(await address.find());
  } catch (error) {
    return [
      fault(
        'Redis',
        `cannot be used at ${withoutSecrets(url)}: ${(error as Error).message}`,
        'Start it, or correct REDIS_URL. No API or worker starts without it; running ones read from the database.',
      ),
    ];
  } finally {
    address.close();
  }
}

async function examineAt(url: string): Promise<Finding[]> {
  const client = await makeRedisClient(url, {
    connectTimeout: ANSWER_MS,
    socketTimeout: ANSWER_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return [
      version(await client.info('server'), withoutSecrets(url)),
      memory(await client.info('memory')),
    ];
  } finally {
    if (client.isOpen) client.destroy();
  }
}

const field = (info: string, name: string): string | undefined =>
  new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];

function version(info: string, shown: string): Finding {
  const valkey = field(info, 'valkey_version');
  const text = valkey ?? field(info, 'redis_version') ?? '';
  const found = `${valkey ? 'Valkey ' : ''}${text} at ${shown}`;
  return isAtLeast(versionOf(text), 7)
    ? ok('Redis', found)
    : warning('Redis', found, 'Use Redis 7, Valkey or later. Older versions are not tested.');
}

function memory(info: string): Finding {
  const limit = field(info, 'maxmemory_human') ?? '0';
  const policy = field(info, 'maxmemory_policy') ?? '';
  const found = `${field(info, 'used_memory_human') ?? ''} used, limit ${limit === '0B' ? 'none' : limit}, ${policy}`;
  if (limit === '0B')
    return warning(
      'cache memory',
      found,
      'Set maxmemory, and maxmemory-policy to allkeys-lru. The cache then has a limit.',
    );
  return policy.startsWith('allkeys-')
    ? ok('cache memory', found)
    : warning(
        'cache memory',
        found,
        'Set maxmemory-policy to allkeys-lru. A full cache refuses writes and counts as unavailable.',
      );
}
