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
 * means that a process uses it. It holds names and password hashes, so only its owner may read it.
 */

const SECRET_FILE = 'jwt-secret';
/** Shortest secret that the API accepts, characters. */
const SECRET_LENGTH_MIN = 32;
/** Every file that the service makes here, and those that SQLite makes beside a database. */
const OURS = /^(lendline\.sqlite|lock\.sqlite)(-wal|-shm|-journal)?$|^jwt-secret(\.new)?$/;

export const databaseFile = (folder: string): string => join(folder, 'lendline.sqlite');

/**
 * Makes the folder if need be, lets only its owner in, and locks it for as long as the process
 * lives. The operating system releases the lock however the process ends.
 * @throws StartError when another process has it, or when it cannot be used.
 */
export function openDataFolder(folder: string): { release(): void } {
  try {
    // Only the owner can read what is made from here on, also by SQLite.
    process.umask(0o077);
    // Not recursive without need, because below /proc that never ends on Node 20.
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
 * Lets only the owner read the service's files. A folder with other files may be somebody's home
 * and keeps its permissions. So does one of another user, such as a volume that root has mounted.
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
 * Returns the secret that signs tokens, and makes it at the first start.
 * @throws StartError when it is damaged.
 */
export function keptSecret(folder: string): string {
  if (!existsSync(join(folder, SECRET_FILE)))
    writeDurably(folder, SECRET_FILE, `${randomBytes(32).toString('hex')}\n`);
  return readSecret(folder) ?? '';
}

/**
 * Reads the secret of a folder; null when there is none yet.
 * @throws StartError when it is damaged. A new secret would end all tokens, so none is made
 * unasked.
 */
export function readSecret(folder: string): string | null {
  const file = join(folder, SECRET_FILE);
  if (!existsSync(file)) return null;
  const secret = readFileSync(file, 'utf8').trim();
  if (secret.length >= SECRET_LENGTH_MIN) return secret;
  throw new StartError(
    `${file} is damaged: it holds ${secret.length} characters of the secret that signs access tokens. ` +
      'Restore it from a backup, or delete it to have a new one made; everybody must then sign in again',
  );
}

/** Writes a file that is either complete or absent after a power cut. */
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
