import { createPublicKey, createSecretKey, KeyObject } from 'node:crypto';
import type { GetVerificationKey } from 'express-jwt';
import type { Algorithm, Jwt, JwtHeader } from 'jsonwebtoken';
import { StartError } from '../../../shared/config';
import { AUDIENCE } from '../../../shared/identity/token';
import { Problem } from '../responses/problem';

/**
 * Says which tokens are valid: one key source and the few algorithms that go with it, so that a
 * token never chooses its own check.
 */

export interface TokenConfig {
  /**
   * HS256 secret of the tokens issued here; does not count when an identity provider is configured.
   */
  readonly secret?: string;
  /** PEM public key or certificate of an identity provider; `\n` may stand for line ends. */
  readonly publicKey?: string;
  readonly jwksUrl?: string;
  readonly issuer?: string;
  readonly audience?: string;
}

export interface TokenRules {
  readonly algorithms: Algorithm[];
  readonly key: GetVerificationKey;
  /**
   * How long a signature that was checked counts, milliseconds; absent where keys do not change
   * while the process runs.
   */
  readonly keptMs?: number;
  readonly issuer?: string;
  readonly audience?: string;
  /** Audience of a token that names one, where none is asked for. */
  readonly audienceIfNamed?: string;
}

/** How long a fetched key is used without asking again, milliseconds. */
const JWKS_KEPT_MS = 10 * 60 * 1000;
const JWKS_TIMEOUT_MS = 5000;
/**
 * A key that the provider has withdrawn counts no longer than this for tokens that were seen
 * before, milliseconds.
 */
const WITHDRAWN_MS = 60_000;
/**
 * How long the provider is not asked again for a key that it did not have, milliseconds, so that
 * tokens with made-up key ids cost it ten requests a minute at most.
 */
const JWKS_UNKNOWN_KEY_MS = 6000;
/** The same after it failed. */
const JWKS_FAILED_MS = 1000;
/** Codes of a token for which the set has no key, or more than one. */
const UNKNOWN_KEY = ['ERR_JWKS_NO_MATCHING_KEY', 'ERR_JWKS_MULTIPLE_MATCHING_KEYS'];

const RSA_ALGORITHMS: Algorithm[] = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
const CURVE_ALGORITHMS: Readonly<Record<string, Algorithm>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

/** Whether tokens come from an identity provider; then none are issued here. */
export function hasIdentityProvider({ publicKey, jwksUrl }: TokenConfig): boolean {
  return publicKey !== undefined || jwksUrl !== undefined;
}

function readPublicKey(pem: string): KeyObject {
  try {
    return createPublicKey(pem.replaceAll('\\n', '\n'));
  } catch (cause) {
    throw new StartError('JWT_PUBLIC_KEY is not a public key or certificate in PEM form', {
      cause,
    });
  }
}

function algorithmsOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): Algorithm[] {
  if (asymmetricKeyType === 'rsa') return RSA_ALGORITHMS;
  const algorithm = CURVE_ALGORITHMS[asymmetricKeyDetails?.namedCurve ?? ''];
  if (!algorithm)
    throw new StartError('JWT_PUBLIC_KEY must be an RSA key or an EC key on P-256, P-384 or P-521');
  return [algorithm];
}

const isUnknownKey = (error: unknown): boolean =>
  UNKNOWN_KEY.includes((error as { code?: string }).code ?? '');

const unknownKey = (cause?: unknown): Problem =>
  new Problem('TOKEN_INVALID', 'The token was signed with an unknown key.', { cause });

const noKeys = (cause: unknown): Problem =>
  new Problem(
    'UNAVAILABLE',
    'The identity provider does not answer, so the token cannot be verified. Try again later.',
    { cause },
  );

/**
 * Finds keys by id in the provider's JWKS. The package is loaded on first use: few installations
 * need it.
 */
function jwksKey(jwksUrl: string, algorithms: readonly Algorithm[]): GetVerificationKey {
  const loadSet = async () => {
    const { createRemoteJWKSet } = await import('jose');
    return createRemoteJWKSet(new URL(jwksUrl), {
      cacheMaxAge: JWKS_KEPT_MS,
      cooldownDuration: JWKS_UNKNOWN_KEY_MS,
      timeoutDuration: JWKS_TIMEOUT_MS,
    });
  };
  let set: ReturnType<typeof loadSet> | undefined;
  let failure: { readonly at: number; readonly cause: unknown } | null = null;
  const keyOf = async ({ alg, kid }: JwtHeader): Promise<KeyObject> => {
    set ??= loadSet();
    const keys = await set;
    if (failure && !keys.fresh && performance.now() - failure.at < JWKS_FAILED_MS)
      throw noKeys(failure.cause);
    const key = await keys({ alg, ...(kid !== undefined && { kid }) }).catch((cause: unknown) => {
      if (isUnknownKey(cause)) throw unknownKey(cause);
      failure = { at: performance.now(), cause };
      throw noKeys(cause);
    });
    // Of several keys, a token has to name its own.
    if (kid === undefined && keys.jwks()?.keys.length !== 1) throw unknownKey();
    return KeyObject.from(key);
  };
  return async (_request, token: Jwt | undefined) => {
    if (!token || !algorithms.includes(token.header.alg as Algorithm))
      throw new Problem('TOKEN_INVALID', 'The algorithm of the token is not accepted.');
    return keyOf(token.header);
  };
}

/**
 * The rules for a configuration; a JWKS URL goes before a public key, and either before the secret.
 * @throws StartError when no key is configured or the public key is of no use.
 */
export function tokenRules({
  secret,
  publicKey,
  jwksUrl,
  issuer,
  audience,
}: TokenConfig): TokenRules {
  const claims = { ...(issuer ? { issuer } : {}), ...(audience ? { audience } : {}) };
  if (jwksUrl) {
    const algorithms = [...RSA_ALGORITHMS, ...Object.values(CURVE_ALGORITHMS)];
    return { ...claims, algorithms, key: jwksKey(jwksUrl, algorithms), keptMs: WITHDRAWN_MS };
  }
  if (publicKey) {
    const key = readPublicKey(publicKey);
    return { ...claims, algorithms: algorithmsOf(key), key: () => key };
  }
  if (!secret)
    throw new StartError(
      'Set JWT_SECRET or, for the tokens of an identity provider, JWT_JWKS_URL or JWT_PUBLIC_KEY.',
    );
  // A text would be parsed for each token to see whether it is a public key.
  const key = createSecretKey(secret, 'utf8');
  return {
    ...claims,
    ...(!audience && { audienceIfNamed: AUDIENCE }),
    algorithms: ['HS256'],
    key: () => key,
  };
}
