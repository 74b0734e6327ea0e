import { allowedSources } from '../../shared/sources';

/** The hosts of `COVER_HOSTS`. */
const HOSTS = allowedSources('cover-hosts');

/** Whether any picture can be shown. */
export const HAS_PICTURES = HOSTS.length > 0;

/** `*.example` stands for every host below. */
const isOf = (host: string, allowed: string): boolean =>
  allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : host === allowed;

/** Whether the page may load this picture. A page served over TLS loads only such pictures. */
export function isShown(url: string): boolean {
  if (!HAS_PICTURES || !URL.canParse(url)) return false;
  const { host, protocol } = new URL(url);
  return (
    (protocol === 'https:' || protocol === location.protocol) &&
    HOSTS.some((allowed) => isOf(host, allowed.toLowerCase()))
  );
}
