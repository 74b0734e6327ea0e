import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { LINK_LEASE_MS } from '../../../../shared/cache/cache';
import type { RedisClient } from '../../../../shared/cache/redis-client';
import { RedisLink } from '../../../../shared/cache/redis-link';
import { onCleanUp } from '../../../support/run/cleanup';
import { freshRedisDatabase } from '../../../support/servers/fresh';
import { startProxy } from '../../../support/faults/proxy';
import { withRedis } from '../../../support/servers/redis';
import { waitUntil } from '../../../support/wait';

const silent = pino({ level: 'silent' });
const WAIT_MS = 15_000;

/** Longer than a link that was open waits for a new connection, milliseconds. */
const SLOW_MS = 2500;
/** Long enough that no command of these tests is ended for its time, milliseconds. */
const LIMIT_MS = 10 * LINK_LEASE_MS;

/** A link that is open. */
async function openLink(
  url: string,
  prepare?: (client: RedisClient) => Promise<unknown>,
): Promise<RedisLink> {
  const link = new RedisLink(url, silent, 'the test fails', prepare);
  onCleanUp(() => link.close());
  await link.opened();
  return link;
}

const ping = (client: RedisClient) => client.ping();

/**
 * Asks Redis, and stands still for longer than a lease before it sees the answer. Nothing else runs
 * meanwhile.
 */
async function pingAndStandStill(client: RedisClient): Promise<void> {
  await client.ping();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LINK_LEASE_MS + 100);
}

describe('a link to Redis', () => {
  it('waits at the start for a server that is slow to answer', async () => {
    const proxy = await startProxy(await freshRedisDatabase(), 6379);
    proxy.stall();
    const opened = openLink(proxy.url, ping);
    await sleep(SLOW_MS);
    proxy.open();
    await expect((await opened).run(ping, LIMIT_MS)).resolves.toBe('PONG');
  });

  it('counts its lease from before a question was sent, however late the answer is read', async () => {
    const link = await openLink(await freshRedisDatabase());
    await link.run(pingAndStandStill, LIMIT_MS);
    await expect(link.run(ping, LIMIT_MS)).rejects.toThrow('has answered nothing');
    // It would stand still each time it connects anew, and other tests with it.
    await link.close();
  });

  it('is opened anew for a command that can wait, after the process stood still', async () => {
    const link = await openLink(await freshRedisDatabase());
    await link.run(pingAndStandStill, LIMIT_MS);
    await expect(link.runReopened(ping, LIMIT_MS)).resolves.toBe('PONG');
  });

  it('makes a command wait for one attempt to connect, and not for the end of an outage', async () => {
    const proxy = await startProxy(await freshRedisDatabase(), 6379);
    const link = await openLink(proxy.url);
    await proxy.close();
    await expect(link.run(ping, LIMIT_MS)).rejects.toThrow();
    await expect(link.runReopened(ping, LIMIT_MS)).rejects.toThrow('Redis is unavailable');
  });

  it('counts the lease of a new connection from before it was prepared', async () => {
    const link = await openLink(await freshRedisDatabase(), pingAndStandStill);
    await expect(link.run(ping, LIMIT_MS)).rejects.toThrow('has answered nothing');
    // It would stand still each time it connects anew, and other tests with it.
    await link.close();
  });

  it('ends with a command that Redis refuses, and is prepared anew before it is used again', async () => {
    const url = await freshRedisDatabase();
    await withRedis(url, (client) => client.set('text', 'no list'));
    let prepared = 0;
    const link = await openLink(url, () => {
      prepared += 1;
      return Promise.resolve();
    });
    await expect(link.run((client) => client.lPush('text', 'item'), LIMIT_MS)).rejects.toThrow(
      'WRONGTYPE',
    );
    await expect(link.run(ping, LIMIT_MS)).rejects.toThrow('Redis is unavailable');
    await waitUntil('the link is open again', WAIT_MS, () => link.run(ping, LIMIT_MS));
    expect(prepared).toBe(2);
  });
});
