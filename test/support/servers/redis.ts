import { createClient } from 'redis';

/** How long a connection may take on a machine that is busy with other tests, milliseconds. */
const CONNECT_MS = 30_000;

const makeClient = (url: string) =>
  createClient({ url, socket: { connectTimeout: CONNECT_MS, reconnectStrategy: false } });
export type RedisClient = ReturnType<typeof makeClient>;

/** Connects for the length of one action; a lost connection fails it at once. */
export async function withRedis<T>(
  url: string,
  action: (client: RedisClient) => Promise<T>,
): Promise<T> {
  const client = makeClient(url);
  // Without a listener the error would end the process; the pending call rejects in any case.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await action(client);
  } finally {
    client.destroy();
  }
}
