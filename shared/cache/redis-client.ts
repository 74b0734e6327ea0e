import type { RedisClientOptions } from 'redis';

interface LinkOptions {
  readonly connectTimeout: number;
  /** How long the server may be silent, milliseconds; as long as it likes without it. */
  readonly socketTimeout?: number;
}

/** A client of one connection, which is never made again. */
export async function makeRedisClient(
  url: string,
  socket: LinkOptions,
  options: Pick<RedisClientOptions, 'commandOptions' | 'commandsQueueMaxLength'> = {},
) {
  // Loaded on first use, because it takes a fifth of a start.
  const { createClient } = await import('redis');
  return createClient({
    url,
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
    ...options,
    socket: { ...socket, noDelay: true, reconnectStrategy: false },
  });
}

export type RedisClient = Awaited<ReturnType<typeof makeRedisClient>>;
