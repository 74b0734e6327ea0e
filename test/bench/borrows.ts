import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { exportServers } from '../support/servers/fresh';
import { newSecret } from '../support/service/processes';
import { provideServers } from '../support/servers/servers';
import { ALL_RIVALS, besideBest, EQUALS } from './beside-best';
import { assertSound, Contest, OVERLOAD, QUEUED, type Cell, type WorkName } from './contest';
import { ofMysql } from './durability';
import { plot } from './plot';
import { plotCosts, plotRatios } from './plot-costs';
import { medianTimes, rates, ratioOf, serviceTimes } from './rounds';
import { kindsOf, RIVAL_KINDS, RIVAL_NAMES, type RivalKind } from './rivals/rival';
import { rival as rivalOf } from './rivals/start';
import {
  bareExpress,
  lendline,
  lendlineEmbedded,
  type LendlineSubject,
  type Subject,
} from './subjects';
import { linesTable, shownOverload, tableOf } from './tables';

/**
 * Measures borrows through the queue, borrows directly, and Express that only parses and answers.
 * They take turns on the same machine, servers and data. The load generator shares the processors
 * with them.
 */

/** Past borrows, where it is measured what they cost, unless told otherwise. */
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
const EMBEDDED = 'Lendline, embedded';
const BARE = 'bare Express';
/** The rivals in the plots: one of each kind. */
const DRAWN_RIVALS = [
  RIVAL_NAMES.lock,
  RIVAL_NAMES.conditional,
  RIVAL_NAMES.procedure,
  RIVAL_NAMES.stockFirst,
  RIVAL_NAMES.postgres,
];

/** The rivals that take part in all cells. The others only borrow. */
const IN_ALL: readonly string[] = [RIVAL_NAMES.lock, RIVAL_NAMES.conditional];
const isForAll = ({ work, clients }: Cell): boolean =>
  CLIENTS.includes(clients) && (work === 'one hot book' || work === 'by popularity');
const takesPart = (subject: string, cell: Cell): boolean =>
  isForAll(cell) || IN_ALL.includes(subject) || !ALL_RIVALS.includes(subject);

/**
 * The parts of the bench. `borrows` is that of `rivals` in which all subjects take part, and
 * `queue` compares a full queue with the best of the rivals instead of the first.
 */
const PARTS = ['borrows', 'rivals', 'queue', 'workers', 'history'] as const;
type Part = (typeof PARTS)[number];

async function startRivals(kinds: readonly RivalKind[], secret: string): Promise<Subject[]> {
  const rivals: Subject[] = [];
  for (const kind of kinds) rivals.push(await rivalOf(kind, secret));
  return rivals;
}

async function assertAllSound(subjects: readonly Subject[]): Promise<void> {
  for (const { name, database } of subjects) if (database) await assertSound(name, database);
}

async function compareAll(
  bench: Contest,
  secret: string,
  part: Part,
  kinds: readonly RivalKind[],
): Promise<string> {
  const ours = await lendline(secret);
  const rivals = await startRivals(kinds, secret);
  const [rival] = rivals as [Subject];
  // Ours next to what it is compared with: the machine is not as fast at all times.
  const subjects = [...rivals, ours, await bareExpress(), await lendlineEmbedded(secret)];
  const cells = part === 'borrows' ? CELLS.filter(isForAll) : CELLS;
  await bench.compare(subjects, cells, takesPart);
  bench.lines.push(...besideBest(bench, OURS));
  await assertAllSound(subjects);
  if (part !== 'borrows') await compareRest(bench, ours, rival);
  const theirs = rivals.flatMap(({ durability }) => durability ?? []);
  return [await ofMysql(ours.database), ...new Set(theirs)].join('\n');
}

/** What is measured of us and of a row lock alone. */
async function compareRest(bench: Contest, ours: LendlineSubject, rival: Subject): Promise<void> {
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
  const drained = await bench.drain(ours, [rival], 128);
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
  );
  await assertAllSound([ours, rival]);
}

/** A full queue beside the best rival. */
async function compareQueue(
  bench: Contest,
  secret: string,
  kinds: readonly RivalKind[],
): Promise<void> {
  const ours = await lendline(secret);
  const rivals = await startRivals(kinds, secret);
  bench.lines.push({
    what: `a worker alone, ${QUEUED} commands for a hot book queued, beside the best rival's`,
    ratio: await bench.drain(ours, rivals, 128),
    bound: 40,
  });
  await assertAllSound([ours, ...rivals]);
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
async function compareHistories(bench: Contest, secret: string, history: number): Promise<void> {
  const [few, many] = ['Lendline, few past borrows', `Lendline, ${history} past borrows`] as const;
  const subjects = [
    await lendline(secret, { name: few, history: 10_000 }),
    await lendline(secret, { name: many, history }),
  ];
  const work = 'by popularity';
  await bench.compare(subjects, [{ work, clients: 128 }]);
  const cost = (subject: string) => serviceTimes(bench.get(subject, work, 128).rounds);
  bench.lines.push({
    what: `processor time of a command, ${history} past borrows beside 10000`,
    ratio: ratioOf(cost(many), cost(few)),
    bound: 1.15,
    atMost: true,
  });
  await assertAllSound(subjects);
}

async function writePlots(bench: Contest, folder: string): Promise<void> {
  const of = (names: readonly string[]) =>
    bench.measured.filter(({ subject }) => names.includes(subject));
  const drawn = [...DRAWN_RIVALS, OURS, EMBEDDED, BARE];
  const works = DRAWN.filter((work) => bench.measured.some((one) => one.work === work));
  const plots: Readonly<Record<string, string>> = {
    borrows: plot(of(drawn), works),
    'hot-book': plot(of(drawn), ['one hot book'], 2),
    ratios: plotRatios(bench.measured, OURS, { best: ALL_RIVALS, equal: EQUALS }),
    'processor-time': plotCosts(of([...drawn, ...EQUALS])),
  };
  for (const [name, svg] of Object.entries(plots))
    await writeFile(join(folder, `${name}.svg`), svg);
}

export async function benchBorrows(argv: readonly string[]): Promise<void> {
  const options = {
    rounds: { type: 'string', default: '3' },
    out: { type: 'string', default: 'bench-results' },
    only: { type: 'string' },
    rivals: { type: 'string' },
    history: { type: 'string', default: String(HISTORY) },
  } as const;
  const { values } = parseArgs({ args: [...argv], options });
  const only = values.only as Part | undefined;
  if (only !== undefined && !PARTS.includes(only))
    throw new Error(`--only must be one of ${PARTS.join(', ')}, got ${only}.`);
  const isWanted = (...parts: Part[]) => only === undefined || parts.includes(only);
  const kinds = kindsOf(values.rivals, RIVAL_KINDS);
  exportServers(await provideServers());
  const secret = newSecret();
  const bench = new Contest(secret, Number(values.rounds));
  await mkdir(values.out, { recursive: true });
  const durability = isWanted('borrows', 'rivals')
    ? await compareAll(bench, secret, only ?? 'rivals', kinds)
    : '';
  if (durability) await writePlots(bench, values.out);
  if (only === 'queue') await compareQueue(bench, secret, kinds);
  if (isWanted('workers')) await compareWorkers(bench, secret);
  if (isWanted('history')) await compareHistories(bench, secret, Number(values.history));
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
