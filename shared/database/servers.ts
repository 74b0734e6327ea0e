/**
 * The parts of a URL that may name several servers, as MySQL's own connectors write it:
 * `mysql://user:password@host1:3306,host2:3306/database?ssl-mode=REQUIRED`.
 */
const PARTS = /^(?<scheme>[a-z+]+:\/\/)(?<user>[^/?]*@)?(?<hosts>[^/?]*)(?<path>[^?]*)(?<rest>.*)$/;

function partsOf(url: string): Readonly<Record<string, string | undefined>> {
  return PARTS.exec(url)?.groups ?? {};
}

/** Returns one URL for each server that a URL names. */
export function serversOf(url: string): readonly string[] {
  const { scheme = '', user = '', hosts = '', path = '', rest = '' } = partsOf(url);
  return hosts.split(',').map((host) => `${scheme}${user}${host.trim()}${path}${rest}`);
}

/** Returns the name of the database in a URL, or an empty text. */
export function databaseIn(url: string): string {
  return decodeURIComponent((partsOf(url)['path'] ?? '').slice(1));
}

/** Returns the same URL without a database. */
export function withoutDatabase(url: string): string {
  const { scheme = '', user = '', hosts = '', rest = '' } = partsOf(url);
  return `${scheme}${user}${hosts}/${rest}`;
}
