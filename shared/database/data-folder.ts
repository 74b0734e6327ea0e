import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { StartError } from '../config';
import { sqliteHandleClass } from './sqlite-files';

/**
 * The folder of the embedded default: the database, the secret of the tokens, and a file whose lock
 * says that a process is at work. It holds names and password hashes, so only its owner may look
 * in.
 */

const SECRET_FILE = 'jwt-secret';
/** What the API asks of a secret, in characters. */
const SECRET_LENGTH_MIN = 32;
/** Every file that is ever made here, with those that SQLite makes beside a database. */
const OURS = /^(lendline\.sqlite|lock\.sqlite)(-wal|-shm|-journal)?$|^jwt-secret(\.new)?$/;

export const databaseFile = (folder: string): string => join(folder, 'lendline.sqlite');

/**
 * Makes the folder if need be, takes its rights from everybody but its owner, and locks it for as
 * long as the process lives: the operating system gives the lock back however the process ends.
 * @throws StartError when another process has it, or when it cannot be used.
 */
export function openDataFolder(folder: string): { release(): void } {
  try {
    // What is made from here on, also by SQLite, is the owner's alone.
    process.umask(0o077);
    // Not recursive without need: below /proc and the like that never ends on Node 20.
    if (!existsSync(folder)) mkdirSync(folder, { recursive: !existsSync(dirname(folder)) });
    keepPrivate(folder);
    const DatabaseSync = sqliteHandleClass();
    const handle = new DatabaseSync(join(folder, 'lock.sqlite'), { timeout: 0 });
    handle.exec('BEGIN EXCLUSIVE');
    return {
      release() {
        handle.close();
      },
    };
  } catch (error) {
    const { message } = error as Error;
    if (/locked/.test(message))
      throw new StartError(
        `The data folder ${folder} (DATA_DIR) is in use by another process. Stop it, or set DATA_DIR to another folder.`,
      );
    throw new StartError(`The data folder ${folder} (DATA_DIR) cannot be used: ${message}`);
  }
}

/**
 * Closes to others what is ours. A folder with other files in it may be somebody's home and keeps
 * its rights; so does what belongs to another user, such as a volume that root has mounted.
 */
function keepPrivate(folder: string): void {
  const names = readdirSync(folder);
  const ours = names.filter((name) => OURS.test(name));
  if (ours.length === names.length) restrict(folder, 0o700);
  for (const name of ours) restrict(join(folder, name), 0o600);
}

function restrict(path: string, rights: number): void {
  const { mode, uid } = statSync(path);
  if ((mode & 0o777) !== rights && uid === process.getuid?.()) chmodSync(path, rights);
}

/**
 * The secret that tokens are signed with, made at the first start. @throws StartError when it is
 * damaged.
 */
export function keptSecret(folder: string): string {
  if (!existsSync(join(folder, SECRET_FILE)))
    writeDurably(folder, SECRET_FILE, `${randomBytes(32).toString('hex')}\n`);
  return readSecret(folder) ?? '';
}

/**
 * The secret of a folder; null when there is none yet.
 * @throws StartError when it is damaged: a new one must not take its place unasked, for all tokens
 * would end.
 */
export function readSecret(folder: string): string | null {
  const file = join(folder, SECRET_FILE);
  if (!existsSync(file)) return null;
  const secret = readFileSync(file, 'utf8').trim();
  if (secret.length >= SECRET_LENGTH_MIN) return secret;
  throw new StartError(
    `${file} is damaged: it holds ${secret.length} characters of the secret that signs access tokens. ` +
      'Restore it from a backup, or delete it to have a new one made; everybody then signs in again',
  );
}

/** Writes a file that is whole after a power cut, or not there at all. */
function writeDurably(folder: string, name: string, content: string): void {
  const file = join(folder, name);
  const unfinished = `${file}.new`;
  const written = openSync(unfinished, 'w', 0o600);
  writeSync(written, content);
  fsyncSync(written);
  closeSync(written);
  renameSync(unfinished, file);
  const names = openSync(folder, 'r');
  fsyncSync(names);
  closeSync(names);
}
