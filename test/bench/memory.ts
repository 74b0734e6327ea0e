import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { parseArgs } from 'node:util';
import { QueryTypes } from 'sequelize';
import { services } from '../../shared/services';
import { exportedServers, exportServers } from '../support/servers/fresh';
import { withRedis } from '../support/servers/redis';
import { provideServers } from '../support/servers/servers';
import { heapOf, heapsEnv } from '../support/service/heap';
import { newSecret } from '../support/service/processes';
import { waitUntil } from '../support/wait';
import { readerTokens } from './library';
import { written } from './load';
import { sendAll, type Sent, type Statuses } from './send';
import { lendline, lendlineEmbedded, type LendlineSubject } from './subjects';

/**
 * `npm run bench -- memory`: what API, worker and embedded process keep in memory for each thing of
 * which there may be many, from their heaps before and after, garbage collected. Options:
 *
 * - `--clients N`: connections, each of which then waits for a command, 10,000 unless it is given
 * - `--partitions N`: of each service, beside 16, 250 unless it is given
 *
 * It fails when a request is refused, or a command is not carried out.
 */

const TITLES = 10_000;
const WARM_BORROWS = 3000;
const SENDING = 64;
const FEW_PARTITIONS = 16;
/** Until all are connected, have sent, or are answered, milliseconds. */
const ALL_MS = 60_000;
const CONNECTING = 200;

type Thing =
  | 'partition'
  | 'signed-in reader'
  | 'cached title'
  | 'idle connection'
  | 'waiting command';

/** Bytes for one of a thing, by program. */
type Costs = Map<Thing, Map<string, number>>;

/** A subject whose heaps are read. */
class Measured {
  readonly costs: Costs = new Map();

  constructor(
    readonly subject: LendlineSubject,
    private readonly folder: string,
    private readonly withRedis = false,
  ) {}

  /** Reads all heaps, in bytes by program. */
  async read(): Promise<ReadonlyMap<string, number>> {
    const bytes = new Map<string, number>();
    for (const { name, pid } of this.subject.programs) {
      const { heapUsed, external } = await heapOf(name, pid, this.folder);
      bytes.set(name, heapUsed + external);
    }
    if (this.withRedis) bytes.set('Redis', await ofRedis());
    return bytes;
  }

  /** Does something that makes so many of a thing, and notes what each of them costs. */
  async cost(thing: Thing, count: number, make: () => Promise<unknown>): Promise<void> {
    const before = await this.read();
    await make();
    const after = await this.read();
    const each = [...after].map(([name, bytes]): [string, number] => [
      name,
      (bytes - (before.get(name) ?? 0)) / count,
    ]);
    this.costs.set(thing, new Map(each));
  }
}

/** Clients of raw connections: they cost this process little. */
class Clients {
  private constructor(private readonly sockets: readonly Socket[]) {}

  static async open(url: string, count: number): Promise<Clients> {
    const { port, hostname } = new URL(url);
    const sockets: Socket[] = [];
    while (sockets.length < count) {
      const some = Array.from({ length: Math.min(CONNECTING, count - sockets.length) }, () =>
        connect(Number(port), hostname),
      );
      await Promise.all(some.map((socket) => once(socket, 'connect')));
      sockets.push(...some);
    }
    return new Clients(sockets);
  }

  /** Sends a request on each connection, and resolves with the answers by status. */
  async ask(requests: readonly Sent[]): Promise<Statuses> {
    const statuses: Record<string, number> = {};
    const answers = this.sockets.map(async (socket, index) => {
      socket.write(written(requests[index] as Sent));
      const [bytes] = (await once(socket, 'data')) as [Buffer];
      const status = bytes.toString('latin1').split(' ')[1] ?? 'none';
      statuses[status] = (statuses[status] ?? 0) + 1;
    });
    await Promise.all(answers);
    return statuses;
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}

const borrow = (token: string, bookInfoId: number): Sent => ({
  method: 'POST',
  path: '/api/borrows',
  token,
  body: { bookInfoId },
  prefer: 'wait=30',
});

const detail = (token: string, title = 1): Sent => ({
  method: 'GET',
  path: `/api/book-infos/${title}`,
  token,
});

/** A metric of the API, summed over its labels. */
async function metricOf({ url }: LendlineSubject, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(name));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** What connections, readers and titles cost, and then what all of them wait for. */
async function measure(
  measured: Measured,
  tokens: readonly string[],
  clients: number,
): Promise<Clients> {
  const { subject } = measured;
  const of = (count: number, make: (index: number) => Sent) =>
    Array.from({ length: count }, (_, index) => make(index));
  const token = (index: number) => tokens[index] ?? '';
  await asked(
    subject.url,
    of(WARM_BORROWS, (index) => borrow(token(index), 1 + index)),
  );
  await asked(
    subject.url,
    of(WARM_BORROWS, () => detail(token(0))),
  );
  const readers = of(clients, (index) => detail(token(WARM_BORROWS + index)));
  await measured.cost('signed-in reader', clients, () => asked(subject.url, readers));
  const titles = of(TITLES, (index) => detail(token(0), 1 + index));
  await measured.cost('cached title', TITLES, () => asked(subject.url, titles));
  let opened: Clients | undefined;
  await measured.cost('idle connection', clients, async () => {
    opened = await Clients.open(subject.url, clients);
    mustBeDone(await opened.ask(readers));
  });
  return opened as Clients;
}

/** Lets a command of each client wait: the worker holds them, and none of the titles is free. */
async function measureWaiting(
  measured: Measured,
  clients: Clients,
  tokens: readonly string[],
  count: number,
): Promise<Statuses> {
  const { subject } = measured;
  const lock = await subject.database.transaction();
  await subject.database.query('SELECT id FROM book_info FOR UPDATE', { transaction: lock });
  let answers: Promise<Statuses> | undefined;
  const borrows = Array.from({ length: count }, (_, index) =>
    borrow(tokens[WARM_BORROWS + index] ?? '', 1 + (index % TITLES)),
  );
  await measured.cost('waiting command', count, async () => {
    answers = clients.ask(borrows);
    // An API counts no longer what a worker has held for seconds, for it may have lost the replies.
    let most = 0;
    await waitUntil('all wait', ALL_MS, async () => {
      const underWay = await metricOf(subject, 'lendline_commands_under_way');
      most = Math.max(most, underWay);
      return underWay === count || (most > 0 && underWay === 0);
    });
  });
  await lock.rollback();
  return answers as Promise<Statuses>;
}

/** All of them, or a limit was reached. */
async function asked(url: string, requests: readonly Sent[]): Promise<void> {
  mustBeDone(await sendAll(url, SENDING, requests));
}

function mustBeDone(statuses: Statuses): void {
  if (Object.keys(statuses).some((status) => !/^20[01]$/.test(status)))
    throw new Error(`not all were answered with 200 or 201: ${JSON.stringify(statuses)}`);
}

const bytes = (value: number | undefined): string =>
  value === undefined ? '' : Math.round(value).toLocaleString('en');

function table(measured: readonly Measured[]): string[] {
  const programs = [
    ...new Set(
      measured.flatMap(({ costs }) => [...costs.values()].flatMap((of) => [...of.keys()])),
    ),
  ];
  const things = [...new Set(measured.flatMap(({ costs }) => [...costs.keys()]))];
  const cell = (thing: Thing, program: string) =>
    bytes(
      measured
        .map(({ costs }) => costs.get(thing)?.get(program))
        .find((cost) => cost !== undefined),
    );
  return [
    `| bytes for each | ${programs.join(' | ')} |`,
    `|---|${programs.map(() => '---|').join('')}`,
    ...things.map(
      (thing) => `| ${thing} | ${programs.map((program) => cell(thing, program)).join(' | ')} |`,
    ),
  ];
}

/** Bytes that Redis uses. */
const ofRedis = (): Promise<number> =>
  withRedis(exportedServers().redisUrl, async (redis) =>
    Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]),
  );

/** What a partition costs: programs without work, with few partitions and with many. */
async function measurePartitions(
  secret: string,
  env: Readonly<Record<string, string>>,
  many: number,
): Promise<Map<string, number>> {
  const heaps: ReadonlyMap<string, number>[] = [];
  for (const partitions of [FEW_PARTITIONS, many]) {
    const subject = await lendline(secret, {
      env: { ...env, COMMAND_PARTITIONS: String(partitions) },
    });
    await waitUntil('the worker owns all partitions', ALL_MS, async () => {
      const [row] = await subject.database.query<{ missing: number }>(
        'SELECT COUNT(*) AS missing FROM partition_owner WHERE owner IS NULL',
        { type: QueryTypes.SELECT },
      );
      return Number(row?.missing) === 0;
    });
    heaps.push(await new Measured(subject, env['TEST_HEAPS'] ?? '').read());
    for (const program of subject.programs) await program.kill();
  }
  const [few = new Map<string, number>(), lots = new Map<string, number>()] = heaps;
  const added = (many - FEW_PARTITIONS) * services.names.length;
  return new Map([...lots].map(([name, bytes]) => [name, (bytes - (few.get(name) ?? 0)) / added]));
}

export async function benchMemory(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      clients: { type: 'string', default: '10000' },
      partitions: { type: 'string', default: '250' },
    },
  });
  exportServers(await provideServers());
  const secret = newSecret();
  const tokens = readerTokens(secret);
  const clients = Number(values.clients);
  const heaps = await heapsEnv();
  const env = { ...heaps, API_CONNECTIONS_MAX: String(clients + SENDING) };
  const servers = new Measured(await lendline(secret, { env }), heaps.TEST_HEAPS, true);
  const opened = await measure(servers, tokens, clients);
  const statuses = await measureWaiting(servers, opened, tokens, clients);
  mustBeDone(statuses);
  opened.close();
  const embedded = new Measured(await lendlineEmbedded(secret, { env }), heaps.TEST_HEAPS);
  (await measure(embedded, tokens, clients)).close();
  servers.costs.set('partition', await measurePartitions(secret, env, Number(values.partitions)));
  process.stdout.write(
    `${clients} clients waited, and all were answered.\n${table([servers, embedded]).join('\n')}\n`,
  );
}
