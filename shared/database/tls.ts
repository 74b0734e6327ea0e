import { isIP } from 'node:net';

/**
 * TLS to MySQL, as the URL asks for it:
 * `mysql://user:password@host/database?ssl-mode=VERIFY_IDENTITY`, with the name and the values of
 * MySQL's own connection strings. Certificates are held against Node's list of authorities and
 * those in the file that `NODE_EXTRA_CA_CERTS` names; the same counts for `amqps://` and
 * `rediss://`.
 */
const SSL_MODES = {
  DISABLED: undefined,
  /** Encrypted, whoever answers. */
  REQUIRED: { rejectUnauthorized: false },
  /** Whoever answers must have a certificate of a known authority. */
  VERIFY_CA: { rejectUnauthorized: true },
  /** That certificate must also be one of the host's. */
  VERIFY_IDENTITY: { rejectUnauthorized: true, verifyIdentity: true },
} as const;

const PARAMETER = 'ssl-mode';

/** What is wrong with the parameters of a URL; null when nothing is. */
export function faultOfMysqlUrl(url: string): string | null {
  const { searchParams, hostname } = new URL(url);
  const unknown = [...searchParams.keys()].filter((name) => name !== PARAMETER);
  if (unknown.length > 0) return `may have no other parameter than ${PARAMETER}`;
  const mode = searchParams.get(PARAMETER);
  // Of an address mysql2 would compare nothing: it would take a certificate of localhost for it.
  if (mode === 'VERIFY_IDENTITY' && isIP(hostname.replace(/^\[|\]$/g, '')) !== 0)
    return `must name its host, and not the address, for an ${PARAMETER} of ${mode}`;
  return mode === null || Object.hasOwn(SSL_MODES, mode)
    ? null
    : `must have an ${PARAMETER} of ${Object.keys(SSL_MODES).join(', ')}`;
}

type SslMode = NonNullable<(typeof SSL_MODES)[keyof typeof SSL_MODES]>;

/** mysql2's options for it. */
export function tlsOptions({ searchParams }: URL): { readonly ssl?: SslMode } {
  const ssl = SSL_MODES[(searchParams.get(PARAMETER) ?? 'DISABLED') as keyof typeof SSL_MODES];
  return ssl ? { ssl } : {};
}
