import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { exportServers } from '../support/servers/fresh';
import { newSecret } from '../support/service/processes';
import { provideServers } from '../support/servers/servers';
import { assertSound, Contest, OVERLOAD, QUEUED, type Cell, type WorkName } from './contest';
import { plot } from './plot';
import { medianTimes, rates, ratioOf, serviceTimes, type Measured } from './rounds';
import {
  bareExpress,
  lendline,
  lendlineEmbedded,
  rival as rivalOf,
  RIVAL_NAMES,
  type LendlineSubject,
} from './subjects';
import { linesTable, shownOverload, tableOf, type Line } from './tables';

/**
 * Measures borrows through the queue, borrows directly, and Express that only parses and answers.
 * They take turns on the same machine, servers and data. The load generator shares the processors
 * with them.
 */

/** Past borrows, where it is measured what they cost. */
const HISTORY = 1_000_000;

const CLIENTS = [1, 16, 128, 1024];
/** What is measured with each number of clients, and drawn. */
const DRAWN: readonly WorkName[] = ['one hot book', 'by popularity', 'borrow and return', 'reads'];
const CELLS: readonly Cell[] = [
  ...DRAWN.flatMap((work) => CLIENTS.map((clients) => ({ work, clients }))),
  // What one process that does everything is wanted for.
  { work: 'one hot book', clients: 64 },
  { work: 'reads of one detail', clients: 128 },
];
/** Workers that share the load, each number on an installation of its own. */
const WORKERS = [1, 2, 4];
const OURS = 'Lendline';
const RIVAL = RIVAL_NAMES.lock;
const BARE = 'bare Express';

/** What has to be reached beside the best rival of each cell, whatever it promises or as we do. */
const BESIDE_BEST: readonly (Cell & { readonly bound: number })[] = [
  { work: 'one hot book', clients: 128, bound: 8 },
  { work: 'one hot book', clients: 1024, bound: 12 },
  { work: 'by popularity', clients: 1024, bound: 1.6 },
  { work: 'by popularity', clients: 128, bound: 1.2 },
  { work: 'by popularity', clients: 16, bound: 0.7 },
];
const EQUALS = [RIVAL_NAMES.equal];
const ALL_RIVALS = Object.values(RIVAL_NAMES);

/** Of each turn, what the best of several subjects reached; the least where less is better. */
function bestOf(
  bench: Contest,
  names: readonly string[],
  { work, clients }: Cell,
  figures: (measured: Measured) => number[],
  best: (...values: number[]) => number,
): number[] {
  const all = names.map((name) => figures(bench.get(name, work, clients)));
  return (all[0] ?? []).map((_, turn) => best(...all.map((values) => values[turn] ?? NaN)));
}

/** Ours beside the best rival. */
function besideBest(bench: Contest): Line[] {
  const lone = { work: 'by popularity', clients: 1 } as const;
  const compared = (
    names: readonly string[],
    cell: Cell,
    figures: (measured: Measured) => number[],
    best: (...values: number[]) => number,
  ) =>
    ratioOf(
      figures(bench.get(OURS, cell.work, cell.clients)),
      bestOf(bench, names, cell, figures, best),
    );
  return [
    { names: ALL_RIVALS, beside: 'the best rival' },
    { names: EQUALS, beside: 'the best with equal promises' },
  ].flatMap(({ names, beside }) => [
    ...BESIDE_BEST.map(({ bound, ...cell }) => ({
      what: `${cell.work}, ${cell.clients} clients, beside ${beside}`,
      ratio: compared(names, cell, rates, Math.max),
      bound,
    })),
    {
      what: `by popularity, 1 client: median time beside ${beside}`,
      ratio: compared(names, lone, medianTimes, Math.min),
      bound: 2.5,
      atMost: true,
    },
    {
      what: `by popularity, 1 client: processor time beside ${beside}`,
      ratio: compared(names, lone, ({ rounds }) => serviceTimes(rounds), Math.min),
      bound: 4,
      atMost: true,
    },
  ]);
}

/** What the database says about the durability that all subjects were measured with. */
async function durabilityOf(database: Sequelize): Promise<string> {
  const [row] = await database.query<{ version: string; flush: number; sync: number }>(
    'SELECT VERSION() AS version, @@innodb_flush_log_at_trx_commit AS flush, @@sync_binlog AS sync',
    { type: QueryTypes.SELECT },
  );
  return `MySQL ${row?.version ?? ''}: innodb_flush_log_at_trx_commit=${row?.flush ?? ''}, sync_binlog=${row?.sync ?? ''}; commands persistent in quorum queues, confirmed.`;
}

async function compareAll(bench: Contest, secret: string): Promise<string> {
  const ours = await lendline(secret);
  const rival = await rivalOf('lock', secret);
  // Ours next to what it is compared with: the machine is not as fast at all times.
  const subjects = [
    await rivalOf('conditional', secret),
    rival,
    await rivalOf('procedure', secret),
    await rivalOf('equal', secret),
    ours,
    await bareExpress(),
    await lendlineEmbedded(secret),
  ];
  await bench.compare(subjects, CELLS);
  const rateRatio = (
    work: WorkName,
    clients: number,
    other: string,
    otherWork = work,
    otherClients = clients,
  ) =>
    ratioOf(
      rates(bench.get(OURS, work, clients)),
      rates(bench.get(other, otherWork, otherClients)),
    );
  const drained = await bench.drain(ours, rival, 128);
  const peaks = rates(bench.get(OURS, 'by popularity', 128));
  await bench.overload(ours, 'by popularity', peaks);
  bench.lines.push(
    {
      what: 'one hot book, 128 clients, beside direct',
      ratio: rateRatio('one hot book', 128, RIVAL),
      bound: 6,
    },
    {
      what: 'the same, 1024 clients beside 128',
      ratio: rateRatio('one hot book', 1024, OURS, 'one hot book', 128),
      bound: 0.8,
    },
    {
      what: 'by popularity, 128 clients, beside direct',
      ratio: rateRatio('by popularity', 128, RIVAL),
      bound: 3,
    },
    { what: 'the same, 16 clients', ratio: rateRatio('by popularity', 16, RIVAL), bound: 1.2 },
    {
      what: 'the same, 1 client: median time',
      ratio: ratioOf(
        medianTimes(bench.get(OURS, 'by popularity', 1)),
        medianTimes(bench.get(RIVAL, 'by popularity', 1)),
      ),
      bound: 1.3,
      atMost: true,
    },
    {
      what: 'one hot book, 128 clients, beside bare Express',
      ratio: rateRatio('one hot book', 128, BARE),
      bound: 0.45,
    },
    {
      what: `a worker alone, ${QUEUED} commands for a hot book queued, beside direct's hot book`,
      ratio: drained,
      bound: 30,
    },
    {
      what: 'reads of one detail, 128 clients, beside bare Express',
      ratio: rateRatio('reads of one detail', 128, BARE),
      bound: 0.7,
    },
    {
      what: `by popularity, ${OVERLOAD} times the load it takes from 128 clients, beside that`,
      ratio: ratioOf(
        bench.overloaded.map(({ rate }) => rate),
        peaks,
      ),
      bound: 0.9,
    },
    ...besideBest(bench),
  );
  for (const { name, database } of subjects) if (database) await assertSound(name, database);
  return durabilityOf(ours.database);
}

/** More workers on the same processors: what sharing costs. */
async function compareWorkers(bench: Contest, secret: string): Promise<void> {
  const subjects: LendlineSubject[] = [];
  for (const workers of WORKERS)
    subjects.push(await lendline(secret, { name: `Lendline, ${workers} workers`, workers }));
  await bench.compare(subjects, [{ work: 'by popularity', clients: 128 }]);
  for (const { name, database, programs } of subjects) {
    await assertSound(name, database);
    for (const program of programs) await program.stop();
  }
}

/** Past borrows: the same installation with few and with many of them. */
async function compareHistories(bench: Contest, secret: string): Promise<void> {
  const [few, many] = ['Lendline, few past borrows', `Lendline, ${HISTORY} past borrows`] as const;
  const subjects = [
    await lendline(secret, { name: few, history: 10_000 }),
    await lendline(secret, { name: many, history: HISTORY }),
  ];
  const work = 'by popularity';
  await bench.compare(subjects, [{ work, clients: 128 }]);
  const cost = (subject: string) => serviceTimes(bench.get(subject, work, 128).rounds);
  bench.lines.push({
    what: `processor time of a command, ${HISTORY} past borrows beside 10000`,
    ratio: ratioOf(cost(many), cost(few)),
    bound: 1.2,
    atMost: true,
  });
  for (const { name, database } of subjects) await assertSound(name, database);
}

export async function benchBorrows(argv: readonly string[]): Promise<void> {
  const options = {
    rounds: { type: 'string', default: '3' },
    out: { type: 'string', default: 'bench-results' },
  } as const;
  const { values } = parseArgs({ args: [...argv], options });
  exportServers(await provideServers());
  const secret = newSecret();
  const bench = new Contest(secret, Number(values.rounds));
  await mkdir(values.out, { recursive: true });
  const durability = await compareAll(bench, secret);
  await writeFile(join(values.out, 'borrows.svg'), plot(bench.measured, DRAWN));
  await writeFile(join(values.out, 'hot-book.svg'), plot(bench.measured, ['one hot book'], 2));
  await compareWorkers(bench, secret);
  await compareHistories(bench, secret);
  await writeFile(
    join(values.out, 'borrows.json'),
    JSON.stringify(
      { durability, lines: bench.lines, overloaded: bench.overloaded, measured: bench.measured },
      null,
      1,
    ),
  );
  const overloaded = bench.overloaded.map(
    (served) => `${OVERLOAD} times the load: ${shownOverload(served)}`,
  );
  process.stdout.write(
    [
      durability,
      '',
      ...linesTable(bench.lines),
      '',
      ...overloaded,
      '',
      ...tableOf(bench.measured),
      '',
    ].join('\n'),
  );
}
