import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import { promisify } from 'node:util';
import { Problem } from '../http/problem';

/**
 * Passwords as scrypt hashes in the form `scrypt$N$r$p$salt$hash$as-is`, salt and hash in base64.
 * Other parameters in a stored hash are honoured. One without the last part is older: it was made
 * of the password's compatibility form (NFKC).
 */

/** Cost: N rounds over N * r * 128 bytes (16 MiB), p times; about 0.15 s of one core. OWASP names these as enough. */
const N = 2 ** 14;
const R = 8;
const P = 5;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Memory that scrypt may take, bytes; Node's default is just too small for N = 2^14 with its own buffers. */
const MEMORY_MAX_BYTES = 64 * 1024 * 1024;

/** Hashes computed at the same time: half of libuv's four threads, which also serve files and name look-ups. */
const AT_ONCE_MAX = 2;
/** Hashes that wait for their turn; beyond it a client gets 503 rather than a long wait. */
const WAITING_MAX = 256;

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

let running = 0;
const waiting: (() => void)[] = [];

/** Runs `compute` when one of the places is free. */
async function inTurn<T>(compute: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE_MAX) {
    if (waiting.length >= WAITING_MAX) throw new Problem('UNAVAILABLE', 'Too many people sign in at this moment; try again.');
    // Whoever is done hands the place over, so that `running` does not change.
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else {
    running += 1;
  }
  try {
    return await compute();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

/** Says that a hash was made of the password as it was given. */
const AS_IS = 'as-is';

function compute(password: string, salt: Buffer, length: number, cost: { N: number; r: number; p: number }): Promise<Buffer> {
  return inTurn(() => derive(password, salt, length, { ...cost, maxmem: MEMORY_MAX_BYTES }));
}

function format(salt: Buffer, hash: Buffer): string {
  return ['scrypt', N, R, P, salt.toString('base64'), hash.toString('base64'), AS_IS].join('$');
}

/** @throws Problem UNAVAILABLE when too many hashes wait already. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return format(salt, await compute(password, salt, HASH_BYTES, { N, r: R, p: P }));
}

/** Stands in for the hash of an account that does not exist, so that a wrong username takes as long as a wrong password. */
const NO_ACCOUNT = format(randomBytes(SALT_BYTES), randomBytes(HASH_BYTES));

/**
 * Whether the password fits the stored hash; never for null, which takes the same time.
 * @throws Problem UNAVAILABLE when too many hashes wait already; Error when the stored text is no such hash.
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [scheme, n, r, p, salt, hash, form] = (stored ?? NO_ACCOUNT).split('$');
  if (scheme !== 'scrypt' || !salt || !hash) throw new Error('A stored password hash has an unknown form');
  const expected = Buffer.from(hash, 'base64');
  const hashed = form === AS_IS ? password : password.normalize('NFKC');
  const actual = await compute(hashed, Buffer.from(salt, 'base64'), expected.length, { N: Number(n), r: Number(r), p: Number(p) });
  return timingSafeEqual(actual, expected) && stored !== null;
}
