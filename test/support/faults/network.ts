import { execFile, fork, type ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onCleanUp, temporaryFolder } from '../run/cleanup';
import { whenThisProcessIsGone } from '../run/watchdog';
import type { Place } from '../servers/private/place';
import { provideProgram } from '../servers/private/programs';

/**
 * A network of hosts that can be split: each host is a network namespace, and one more has the
 * switch between them. No way leads out of it. This process reaches a port of a host by a forwarder
 * on loopback, which no split touches. It takes root, as installing servers for the tests does.
 */

const execute = promisify(execFile);

/** Reserved for tests of networks, so no machine has such an address. */
const ADDRESSES = '198.18.0';
const MISSING = 'Tests that split a network need the programs ip and nft';
const IMPOSSIBLE =
  'Tests that split a network make network namespaces, which takes root and is not possible here';
/** Ends what still runs there, then removes the namespaces. */
const REMOVAL = `ip=$1; shift; for name in "$@"; do
  "$ip" netns pids "$name" | xargs -r kill -s KILL
  "$ip" netns del "$name"
done`;
/** The rules of the switch; without the table everything passes. */
const TABLE = 'table bridge split';

/** Packets from one of these hosts to one of those are dropped. */
export interface Wall {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

export interface Network {
  host(name: string): Place;
  /** Returns a text with the addresses that hosts use among themselves in it. */
  inside(text: string): string;
  /** Drops packets, from now on until the next call; without walls all pass. */
  split(...walls: readonly Wall[]): Promise<void>;
  /** Returns how many packets the present walls have dropped. */
  dropped(): Promise<number>;
}

export async function makeNetwork(names: readonly string[]): Promise<Network> {
  const ip = await provideProgram(['iproute2', 'ip'], MISSING);
  const rules = await provideProgram(['nftables', 'nft'], MISSING);
  const folder = await temporaryFolder('network');
  const unique = `lendline-${process.pid}-${Date.now().toString(36)}`;
  const middle = `${unique}-switch`;
  const spaces = names.map((name) => `${unique}-${name}`);
  await lay(ip, folder, middle, spaces);
  const hosts = new Map(
    names.map((name, index) => [name, new Host(addressOf(index), ip, spaces[index] ?? '')]),
  );
  const nft = (...args: readonly string[]) =>
    execute(ip, ['netns', 'exec', middle, rules, ...args]);
  const addresses = (chosen: readonly string[]) =>
    chosen.map((name) => addressOf(names.indexOf(name))).join(', ');
  return {
    host: (name) => {
      const host = hosts.get(name);
      if (!host) throw new Error(`the network has no host ${name}`);
      return host;
    },
    inside: (text) => [...hosts.values()].reduce((seen, host) => host.inside(seen), text),
    split: async (...walls) => {
      const drops = walls.map(
        ({ from, to }) =>
          `ip saddr { ${addresses(from)} } ip daddr { ${addresses(to)} } counter drop`,
      );
      const chain = ['chain forward {', 'type filter hook forward priority 0', ...drops, '}'];
      const file = join(folder, 'rules');
      await writeFile(
        file,
        [TABLE, `delete ${TABLE}`, `${TABLE} {`, ...(walls.length > 0 ? chain : []), '}', ''].join(
          '\n',
        ),
      );
      await nft('-f', file);
    },
    dropped: async () => {
      const { stdout } = await nft('list', 'ruleset');
      const counts = [...stdout.matchAll(/ counter packets (\d+)/g)];
      return counts.reduce((sum, [, count]) => sum + Number(count), 0);
    },
  };
}

const addressOf = (index: number): string => `${ADDRESSES}.${index + 1}`;

/** Makes the namespaces and joins them; they go when this file has ended, however it ends. */
async function lay(
  ip: string,
  folder: string,
  middle: string,
  spaces: readonly string[],
): Promise<void> {
  const file = join(folder, 'commands');
  const batch = async (space: readonly string[], ...lines: readonly string[]) => {
    await writeFile(file, `${lines.join('\n')}\n`);
    await execute(ip, [...space, '-batch', file]);
  };
  const all = [middle, ...spaces];
  const callOff = whenThisProcessIsGone(REMOVAL, ip, ...all);
  onCleanUp(async () => {
    await execute('sh', ['-c', REMOVAL, 'removal', ip, ...all]);
    callOff();
  });
  await batch([], ...all.map((space) => `netns add ${space}`)).catch((cause: unknown) => {
    throw new Error(IMPOSSIBLE, { cause });
  });
  await batch(
    ['-n', middle],
    'link add switch type bridge',
    'link set switch up',
    ...spaces.flatMap((space, index) => [
      `link add port${index} type veth peer name eth0 netns ${space}`,
      `link set port${index} master switch up`,
    ]),
  );
  for (const [index, space] of spaces.entries())
    await batch(
      ['-n', space],
      'link set lo up',
      `address add ${addressOf(index)}/24 dev eth0`,
      'link set eth0 up',
    );
}

class Host implements Place {
  readonly through: readonly string[];
  private readonly reached = new Map<string, string>();
  private forwarder: ChildProcess | undefined;

  constructor(
    readonly address: string,
    private readonly ip: string,
    space: string,
  ) {
    this.through = [ip, 'netns', 'exec', space];
  }

  async reach(port: number, address = this.address): Promise<string> {
    const forwarder = (this.forwarder ??= this.startForwarder());
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    const outside = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    await new Promise<void>((resolve, reject) => {
      forwarder.send({ port, address }, server, (error) => {
        server.close();
        if (error) reject(error);
        else resolve();
      });
    });
    this.reached.set(outside, `${address}:${port}`);
    return outside;
  }

  inside(text: string): string {
    return [...this.reached].reduce(
      (seen, [outside, inside]) => seen.replaceAll(new RegExp(`${outside}(?!\\d)`, 'g'), inside),
      text,
    );
  }

  private startForwarder(): ChildProcess {
    const [, ...args] = this.through;
    const forwarder = fork(join(__dirname, 'forwarder.js'), [], {
      execPath: this.ip,
      execArgv: [...args, process.execPath],
    });
    onCleanUp(() => {
      forwarder.disconnect();
      return Promise.resolve();
    });
    return forwarder;
  }
}
