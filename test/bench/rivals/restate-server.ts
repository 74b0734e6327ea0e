import { mkdir, rename } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/run/cleanup';
import { ownEnvironment, ROOT, run } from '../../support/service/child';
import { startPrivate, START_MS } from '../../support/servers/private/private-server';
import { freePorts } from '../../support/servers/ports';

/**
 * A Restate server. Its program is too large for a dependency of the tests: it is fetched from npm
 * when a bench first needs it.
 */

const VERSION = '1.7.12';
const FOLDER = join(ROOT, 'node_modules/.cache/restate', VERSION);
const PROGRAM = join(FOLDER, 'package/bin/restate-server');
const FETCH_MS = 300_000;

async function provideRestate(): Promise<string> {
  if (existsSync(PROGRAM)) return PROGRAM;
  const archives = await temporaryFolder('restate-package');
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}@${VERSION}`;
  process.stderr.write(`Fetching ${name} from npm.\n`);
  const env = ownEnvironment();
  const pack = ['pack', '--silent', '--pack-destination', archives, name];
  const archive = await run({ name: 'npm', command: 'npm', args: pack, env }, FETCH_MS);
  const unpacked = `${FOLDER}-${process.pid}`;
  await mkdir(unpacked, { recursive: true });
  const unpack = ['-xzf', join(archives, archive.trim()), '-C', unpacked];
  await run({ name: 'tar', command: 'tar', args: unpack }, FETCH_MS);
  await rename(unpacked, FOLDER);
  return PROGRAM;
}

export interface Restate {
  /** Where calls go. */
  readonly url: string;
  readonly durability: string;
  /** Says that the handlers are at a port. */
  register(port: number): Promise<void>;
}

/** Starts a server of one node. What it confirms is on the disk. */
export async function startRestate(): Promise<Restate> {
  const command = await provideRestate();
  const folder = await temporaryFolder('restate');
  const [ingress = 0, admin = 0, node = 0] = await freePorts(3);
  const env = {
    RESTATE_BASE_DIR: folder,
    // It leaves a folder for each of its threads.
    TMPDIR: folder,
    RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
    RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${node}`,
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    RESTATE_DISABLE_TELEMETRY: 'true',
    RUST_LOG: 'warn',
  };
  const dump = ['--dump-config'];
  const settings = await run({ name: 'restate', command, args: dump, env }, START_MS);
  const isSynced = /\[log-server\][^[]*rocksdb-disable-wal-fsync = false/.test(settings);
  const url = `http://127.0.0.1:${ingress}`;
  const adminUrl = `http://127.0.0.1:${admin}`;
  const isUp = (address: string): Promise<boolean> =>
    fetch(address).then(
      ({ ok }) => ok,
      () => false,
    );
  await startPrivate(
    url,
    { name: 'restate', command, env, folder },
    async () => (await isUp(`${url}/restate/health`)) && isUp(`${adminUrl}/health`),
  );
  return {
    url,
    durability: `Restate ${VERSION}: its log is ${isSynced ? '' : 'not '}flushed to the disk.`,
    register: async (port) => {
      const response = await fetch(`${adminUrl}/deployments`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ uri: `http://127.0.0.1:${port}` }),
      });
      if (!response.ok) throw new Error(`Restate refused the handlers: ${await response.text()}`);
    },
  };
}
