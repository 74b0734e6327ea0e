import { serversOf } from '../database/servers';

/**
 * A URL by which Sentinels are asked for the primary of Redis:
 * `redis+sentinel://user:password@host1:26379,host2:26379/name/db`. User, password and database are
 * those of Redis.
 */
const SCHEME = /^(rediss?)\+sentinel:/;

/** `redis` or `rediss` of a URL of Sentinels; null for any other URL. */
export const schemeBehindSentinels = (url: string): string | null => SCHEME.exec(url)?.[1] ?? null;

/** What is wrong with a URL of Sentinels; null when nothing is. */
export function faultOfSentinelUrl(url: string): string | null {
  const servers = serversOf(url);
  if (!servers.every((server) => URL.canParse(server) && new URL(server).hostname))
    return 'must name the hosts of Sentinels';
  return /^\/[^/]+(\/\d*)?$/.test(new URL(servers[0] ?? '').pathname)
    ? null
    : 'must end in /name or /name/db, with the name that Sentinels have for the primary';
}
