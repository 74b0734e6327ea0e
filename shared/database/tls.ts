import { isIP } from 'node:net';

/**
 * TLS to MySQL, set by the URL: `mysql://user:password@host/database?ssl-mode=VERIFY_IDENTITY`,
 * with the name and values of MySQL's own connection strings.
 * Certificates are checked against Node's list of authorities and those in `NODE_EXTRA_CA_CERTS`.
 * The same holds for `amqps://` and `rediss://`.
 */
const SSL_MODES = {
  DISABLED: undefined,
  /** Encrypted, with any certificate. */
  REQUIRED: { rejectUnauthorized: false },
  /** The certificate must come from a known authority. */
  VERIFY_CA: { rejectUnauthorized: true },
  /** The certificate must also name the host. */
  VERIFY_IDENTITY: { rejectUnauthorized: true, verifyIdentity: true },
} as const;

const PARAMETER = 'ssl-mode';

/** Returns what is wrong with the parameters of a URL, or null. */
export function faultOfMysqlUrl(url: string): string | null {
  const { searchParams, hostname } = new URL(url);
  const unknown = [...searchParams.keys()].filter((name) => name !== PARAMETER);
  if (unknown.length > 0) return `may have no other parameter than ${PARAMETER}`;
  const mode = searchParams.get(PARAMETER);
  // For an IP address, mysql2 compares no name and would accept a certificate of localhost.
  if (mode === 'VERIFY_IDENTITY' && isIP(hostname.replace(/^\[|\]$/g, '')) !== 0)
    return `must name its host, and not the address, for an ${PARAMETER} of ${mode}`;
  return mode === null || Object.hasOwn(SSL_MODES, mode)
    ? null
    : `must have an ${PARAMETER} of ${Object.keys(SSL_MODES).join(', ')}`;
}

type SslMode = NonNullable<(typeof SSL_MODES)[keyof typeof SSL_MODES]>;

/** Returns mysql2's options for TLS. */
export function tlsOptions({ searchParams }: URL): { readonly ssl?: SslMode } {
  const ssl = SSL_MODES[(searchParams.get(PARAMETER) ?? 'DISABLED') as keyof typeof SSL_MODES];
  return ssl ? { ssl } : {};
}
