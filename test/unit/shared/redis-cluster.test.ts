import { askCluster } from '../../../shared/cache/cluster-node';
import type { RedisClient } from '../../../shared/cache/redis-client';

/** What a node of a cluster tells of the one that has the slot of all keys, 7919. */

const ask = (...lines: string[]) =>
  askCluster(
    { sendCommand: () => Promise.resolve(lines.join('\n')) } as unknown as RedisClient,
    new URL('redis+cluster://asked'),
  );

const node = (host: string, flags: string, epoch: number, ...slots: string[]) =>
  [
    `id-${host}`,
    `${host}:6379@16379,name`,
    flags,
    '-',
    '0',
    '0',
    epoch,
    'connected',
    ...slots,
  ].join(' ');

const told = (host: string, epoch: number) => ({ host, port: '6379', path: '', epoch });

describe('the address of Redis in a cluster', () => {
  it.each([
    ['a range', '5461-10922'],
    ['one slot', '7919'],
  ])('is that of the primary with the slot, in %s', async (_kind, slots) => {
    const answer = ask(
      node('a', 'myself,master', 1, '0-5460', '[7919->-id-b]'),
      node('b', 'master', 4, '1-2', slots),
      node('c', 'slave', 4, slots),
    );
    await expect(answer).resolves.toEqual(told('b', 4));
  });

  it('is the address that was asked, when the node knows no other node', async () => {
    await expect(ask(node('', 'myself,master', 0, '0-16383'))).resolves.toEqual(told('asked', 0));
  });

  it('is unknown when no node has the slot', async () => {
    await expect(ask(node('a', 'master', 1, '0-5460'))).rejects.toThrow('no node of the cluster');
  });
});
