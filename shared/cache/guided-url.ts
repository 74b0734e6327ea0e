import { serversOf } from '../database/servers';

/**
 * A URL by which Sentinels, or the nodes of a cluster, are asked for the Redis to use:
 * `redis+sentinel://user:password@host1:26379,host2:26379/name/db` and
 * `redis+cluster://user:password@host1:6379,host2:6379`. User and password are those of Redis.
 */
const GUIDED = /^(?<scheme>rediss?)\+(?<guides>sentinel|cluster):/;

export interface Guided {
  readonly scheme: string;
  readonly guides: 'sentinel' | 'cluster';
}

/** Null for a URL that is the address of Redis itself. */
export function guidedBy(url: string): Guided | null {
  return (GUIDED.exec(url)?.groups as Guided | undefined) ?? null;
}

/** What is wrong with a URL that `guidedBy` knows; null when nothing is. */
export function faultOfGuidedUrl(url: string): string | null {
  const servers = serversOf(url);
  const sentinels = guidedBy(url)?.guides === 'sentinel';
  if (!servers.every((server) => URL.canParse(server) && new URL(server).hostname))
    return sentinels ? 'must name the hosts of Sentinels' : 'must name the hosts of the cluster';
  const { pathname } = new URL(servers[0] ?? '');
  if (!sentinels)
    return /^\/?0?$/.test(pathname) ? null : 'must end after the hosts: a cluster has one database';
  return /^\/[^/]+(\/\d*)?$/.test(pathname)
    ? null
    : 'must end in /name or /name/db, with the name that Sentinels have for the primary';
}
