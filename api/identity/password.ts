import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { HashTurns, hashesAtOnce, type Lane, type SignInLane } from './hash-turns';

/**
 * Passwords as scrypt hashes in the form `scrypt$N$r$p$salt$hash$as-is`, salt and hash in base64.
 * Other parameters in a stored hash are honoured. One without the last part is older: it was made
 * of the password's compatibility form (NFKC).
 */

/**
 * Cost: N rounds over N * r * 128 bytes (16 MiB), p times; about 0.15 s of one core. OWASP names
 * these as enough.
 */
const N = 2 ** 14;
const R = 8;
const P = 5;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/**
 * Memory that scrypt may take, bytes; Node's default is just too small for N = 2^14 with its own
 * buffers.
 */
const MEMORY_MAX_BYTES = 64 * 1024 * 1024;

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

const turns = new HashTurns(hashesAtOnce(availableParallelism()));

/** Says that a hash was made of the password as it was given. */
const AS_IS = 'as-is';

function compute(
  lane: Lane,
  password: string,
  salt: Buffer,
  length: number,
  cost: { N: number; r: number; p: number },
): Promise<Buffer> {
  return turns.run(lane, () =>
    derive(password, salt, length, { ...cost, maxmem: MEMORY_MAX_BYTES }),
  );
}

function format(salt: Buffer, hash: Buffer): string {
  return ['scrypt', N, R, P, salt.toString('base64'), hash.toString('base64'), AS_IS].join('$');
}

/** @throws Problem UNAVAILABLE when too many hashes wait already. */
export async function hashPassword(password: string, lane: Lane = 'sign-in'): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return format(salt, await compute(lane, password, salt, HASH_BYTES, { N, r: R, p: P }));
}

/**
 * Stands in for the hash of an account that does not exist, so that a wrong username takes as long
 * as a wrong password.
 */
const NO_ACCOUNT = format(randomBytes(SALT_BYTES), randomBytes(HASH_BYTES));

/**
 * Returns whether the password fits the stored hash; never for null, which takes the same time.
 * @throws Problem UNAVAILABLE when too many hashes wait already; Error when the stored text is no
 * such hash.
 */
export async function verifyPassword(
  password: string,
  stored: string | null,
  lane: SignInLane,
): Promise<boolean> {
  const [scheme, n, r, p, salt, hash, form] = (stored ?? NO_ACCOUNT).split('$');
  if (scheme !== 'scrypt' || !salt || !hash)
    throw new Error('A stored password hash has an unknown form');
  const expected = Buffer.from(hash, 'base64');
  const hashed = form === AS_IS ? password : password.normalize('NFKC');
  const actual = await compute(lane, hashed, Buffer.from(salt, 'base64'), expected.length, {
    N: Number(n),
    r: Number(r),
    p: Number(p),
  });
  return timingSafeEqual(actual, expected) && stored !== null;
}
