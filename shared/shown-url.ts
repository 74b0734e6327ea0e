import { serversOf } from './database/servers';

/**
 * Returns the address of a server, or of a cluster's nodes, for people: without user and password.
 */
export function withoutSecrets(urls: string | readonly string[]): string {
  return [urls].flat().flatMap(serversOf).map(withoutSecret).join(', ');
}

function withoutSecret(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
