import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { exportServers } from '../support/fresh';
import { newSecret } from '../support/processes';
import { provideServers } from '../support/servers';
import { borrowsEver, faultsOf, readerTokens, returnAll, SCARCE_COPIES, settled } from './library';
import { median, putLoad } from './load';
import { putOpenLoad, type OpenServed } from './open-load';
import { plot } from './plot';
import { cpuOf, medianTimes, rates, ratioOf, round, type Measured, type Ratio } from './rounds';
import { bareExpress, direct, lendline, lendlineEmbedded, type LendlineSubject, type Subject } from './subjects';
import { borrowAndReturn, byPopularity, hotBook, promisedOfHotBook, scarceBook, type Work } from './work';

/**
 * Borrowing through the queue beside borrowing directly, and beside Express that only parses and answers: in turn, on the same
 * machine and servers, on the same data and with the same load generator, which shares the processors with them.
 */

/** Length of a round, and of the one before them that is not counted, seconds. */
const ROUND_S = 4;
const WARM_S = 8;
const WARM_CLIENTS = 64;
/** Commands that wait in a queue when a worker is measured alone: as many as are always let in. And the clients that put them there. */
const QUEUED = 3000;
const QUEUING_CLIENTS = 64;
/** How often it is looked how many of them are done, milliseconds. */
const LOOK_MS = 20;
/** Past borrows, where it is measured what they cost. */
const HISTORY = 1_000_000;

const WORKS = { 'one hot book': hotBook, 'by popularity': byPopularity, 'borrow and return': borrowAndReturn } as const satisfies Record<string, Work>;
type WorkName = keyof typeof WORKS;

interface Cell {
  readonly work: WorkName;
  readonly clients: number;
}

const CLIENTS = [1, 16, 128, 1024];
const CELLS: readonly Cell[] = (Object.keys(WORKS) as WorkName[]).flatMap((work) => CLIENTS.map((clients) => ({ work, clients })));
/** Workers that share the load, each number on an installation of its own. */
const WORKERS = [1, 2, 4];
/** Load that comes whether answers come or not: beside what the service takes from 128 clients, and for how long, seconds. */
const OVERLOAD = 2;
const OVERLOAD_S = 10;

/** A line of what is to be reached. */
interface Line {
  readonly what: string;
  readonly ratio: Ratio;
  /** What the median must not be below, or above when `atMost`. */
  readonly bound: number;
  readonly atMost?: boolean;
}

const OURS = 'Lendline';
const RIVAL = 'direct, FOR UPDATE';
const BARE = 'bare Express';

class Bench {
  readonly measured: Measured[] = [];
  readonly lines: Line[] = [];
  private readonly tokens: readonly string[];

  constructor(
    secret: string,
    private readonly rounds: number,
  ) {
    this.tokens = readerTokens(secret);
  }

  /** All subjects in turn, cell after cell, and that several times. */
  async compare(subjects: readonly Subject[], cells: readonly Cell[]): Promise<void> {
    for (const subject of subjects) await assertNoOversell(subject, this.tokens);
    for (const subject of subjects) await round(subject, { clients: WARM_CLIENTS, seconds: WARM_S }, hotBook, this.tokens);
    for (let turn = 0; turn < this.rounds; turn += 1) {
      for (const { work, clients } of cells) {
        for (const subject of subjects) {
          // The one that keeps nothing has only borrows.
          if (!subject.database && work === 'borrow and return') continue;
          const found = this.find(subject.name, work, clients) ?? this.add({ subject: subject.name, work, clients, rounds: [] });
          found.rounds.push(await round(subject, { clients, seconds: ROUND_S }, WORKS[work], this.tokens));
          process.stderr.write(`${shown(found)}\n`);
        }
      }
    }
  }

  /** A worker alone: what it carries out a second of the commands for a hot book that came while it was frozen. */
  async drain({ programs, url, database }: LendlineSubject): Promise<number[]> {
    const worker = programs.find(({ name }) => name === 'worker');
    const drained: number[] = [];
    for (let turn = 0; turn < this.rounds; turn += 1) {
      await settled(database);
      await returnAll(database);
      const before = await borrowsEver(database);
      worker?.freeze();
      const { statuses } = await putLoad(url, { clients: QUEUING_CLIENTS, amount: QUEUED }, promisedOfHotBook(this.tokens));
      worker?.thaw();
      drained.push(await rateOf(() => borrowsEver(database).then((count) => count - before), statuses['202'] ?? 0));
    }
    return drained;
  }

  /** Twice what the service takes from clients that wait for each answer. The rates of successes, in the order of the rounds. */
  async overload(subject: LendlineSubject, work: WorkName, peaks: readonly number[]): Promise<OpenServed[]> {
    const served: OpenServed[] = [];
    for (const peak of peaks) {
      await returnAll(subject.database);
      const [next] = WORKS[work](this.tokens)();
      if (!next) continue;
      const one = await putOpenLoad(subject.url, { arrivals: OVERLOAD * peak, seconds: OVERLOAD_S }, next);
      served.push(one);
      await settled(subject.database);
      process.stderr.write(`${work}, ${per(OVERLOAD * peak)} requests a second: ${per(one.rate)}/s, p50 ${per(one.p50)} ms, p99 ${per(one.p99)} ms, 503 after ${per(one.refusedP50)} / ${per(one.refusedP99)} ms, ${JSON.stringify(one.statuses)}\n`);
    }
    return served;
  }

  find(subject: string, work: WorkName, clients: number): Measured | undefined {
    return this.measured.find((one) => one.subject === subject && one.work === work && one.clients === clients);
  }

  get(subject: string, work: WorkName, clients: number): Measured {
    const found = this.find(subject, work, clients);
    if (!found) throw new Error(`${subject} was not measured: ${work}, ${clients} clients`);
    return found;
  }

  private add(measured: Measured): Measured {
    this.measured.push(measured);
    return measured;
  }
}

/** Of few copies no more are lent than there are, and everybody else is refused: else a comparison would mean nothing. */
async function assertNoOversell({ name, url, database }: Subject, tokens: readonly string[]): Promise<void> {
  if (!database) return;
  const { statuses } = await putLoad(url, { clients: QUEUING_CLIENTS, amount: 5 * SCARCE_COPIES }, scarceBook(tokens));
  if (statuses['201'] !== SCARCE_COPIES || statuses['409'] !== 4 * SCARCE_COPIES) throw new Error(`${name} lent ${SCARCE_COPIES} copies so: ${JSON.stringify(statuses)}`);
  await assertSound(name, database);
}

/** Things done a second, between a tenth and nine tenths of them: neither the start nor the last few count. */
async function rateOf(done: () => Promise<number>, all: number): Promise<number> {
  const at: { count: number; ms: number }[] = [];
  for (let count = 0; count < 0.9 * all; count = await done()) {
    if (count >= 0.1 * all) at.push({ count, ms: performance.now() });
    await pause(LOOK_MS);
  }
  at.push({ count: await done(), ms: performance.now() });
  const [first, last] = [at[0], at.at(-1)];
  return first && last && last !== first ? (1000 * (last.count - first.count)) / (last.ms - first.ms) : NaN;
}

const per = (value: number): string => (value >= 10 ? value.toFixed(0) : value.toFixed(2));

function shown(measured: Measured): string {
  const { subject, work, clients, rounds } = measured;
  const last = rounds.at(-1);
  const statuses = JSON.stringify(last?.statuses ?? {});
  const cpu = (last?.cpu ?? []).map(([program, ms]) => `${program} ${ms.toFixed(2)}`).join(', ');
  return `${work}, ${clients} clients, ${subject}: ${per(last?.rate ?? 0)}/s, p50 ${per(last?.p50 ?? 0)} ms, p99 ${per(last?.p99 ?? 0)} ms, ${statuses}, CPU ms each: ${cpu}`;
}

function tableOf(measured: readonly Measured[]): string[] {
  const rows = measured.map((one) => {
    const times = one.rounds.map(({ p99 }) => p99);
    const cpu = cpuOf(one).filter(([, ms]) => ms >= 0.02).map(([program, ms]) => `${program} ${ms.toFixed(2)}`).join(', ');
    const spread = `${per(Math.min(...rates(one)))} to ${per(Math.max(...rates(one)))}`;
    return `| ${one.work} | ${one.clients} | ${one.subject} | ${per(median(rates(one)))} (${spread}) | ${per(median(medianTimes(one)))} | ${per(median(times))} | ${cpu} |`;
  });
  return ['| borrows | clients | | a second: median (spread) | p50, ms | p99, ms | processor time for each, ms |', '|---|---|---|---|---|---|---|', ...rows];
}

function linesTable(lines: readonly Line[]): string[] {
  const rows = lines.map(({ what, ratio, bound, atMost }) => {
    const holds = atMost ? ratio.median <= bound : ratio.median >= bound;
    return `| ${what} | ${ratio.median.toFixed(2)} (${ratio.lowest.toFixed(2)} to ${ratio.highest.toFixed(2)}) | ${atMost ? 'at most' : 'at least'} ${bound} | ${holds ? 'yes' : 'no'} |`;
  });
  return ['| | ratio: median (spread) | wanted | reached |', '|---|---|---|---|', ...rows];
}

/** What the database says about the durability that all subjects were measured with. */
async function durabilityOf(database: Sequelize): Promise<string> {
  const [row] = await database.query<{ version: string; flush: number; sync: number }>('SELECT VERSION() AS version, @@innodb_flush_log_at_trx_commit AS flush, @@sync_binlog AS sync', { type: QueryTypes.SELECT });
  return `MySQL ${row?.version ?? ''}: innodb_flush_log_at_trx_commit=${row?.flush ?? ''}, sync_binlog=${row?.sync ?? ''}; commands persistent in quorum queues, confirmed.`;
}

async function compareAll(bench: Bench, secret: string): Promise<string> {
  const ours = await lendline(secret);
  const subjects = [await bareExpress(), await direct('lock', secret), await direct('conditional', secret), ours, await lendlineEmbedded(secret)];
  await bench.compare(subjects, CELLS);
  const rateRatio = (work: WorkName, clients: number, other: string, otherWork = work, otherClients = clients) => ratioOf(rates(bench.get(OURS, work, clients)), rates(bench.get(other, otherWork, otherClients)));
  const drained = await bench.drain(ours);
  const peaks = rates(bench.get(OURS, 'by popularity', 128));
  const overloaded = await bench.overload(ours, 'by popularity', peaks);
  bench.lines.push(
    { what: 'one hot book, 128 clients, beside direct', ratio: rateRatio('one hot book', 128, RIVAL), bound: 6 },
    { what: 'the same, 1024 clients beside 128', ratio: rateRatio('one hot book', 1024, OURS, 'one hot book', 128), bound: 0.8 },
    { what: 'by popularity, 128 clients, beside direct', ratio: rateRatio('by popularity', 128, RIVAL), bound: 3 },
    { what: 'the same, 16 clients', ratio: rateRatio('by popularity', 16, RIVAL), bound: 1.2 },
    { what: 'the same, 1 client: median time', ratio: ratioOf(medianTimes(bench.get(OURS, 'by popularity', 1)), medianTimes(bench.get(RIVAL, 'by popularity', 1))), bound: 1.3, atMost: true },
    { what: 'one hot book, 128 clients, beside bare Express', ratio: rateRatio('one hot book', 128, BARE), bound: 0.45 },
    { what: `a worker alone, ${QUEUED} commands for a hot book queued, beside direct's hot book`, ratio: ratioOf(drained, rates(bench.get(RIVAL, 'one hot book', 128))), bound: 30 },
    { what: `by popularity, ${OVERLOAD} times the load it takes from 128 clients, beside that`, ratio: ratioOf(overloaded.map(({ rate }) => rate), peaks), bound: 0.9 },
  );
  for (const { name, database } of subjects) if (database) await assertSound(name, database);
  return durabilityOf(ours.database);
}

/** More workers on the same processors: what sharing costs. */
async function compareWorkers(bench: Bench, secret: string): Promise<void> {
  const subjects: LendlineSubject[] = [];
  for (const workers of WORKERS) subjects.push(await lendline(secret, { name: `Lendline, ${workers} workers`, workers }));
  await bench.compare(subjects, [{ work: 'by popularity', clients: 128 }]);
  for (const { name, database, programs } of subjects) {
    await assertSound(name, database);
    for (const program of programs) await program.stop();
  }
}

/** Past borrows: the same installation with few and with many of them. */
async function compareHistories(bench: Bench, secret: string): Promise<void> {
  const [few, many] = ['Lendline, few past borrows', `Lendline, ${HISTORY} past borrows`] as const;
  const subjects = [await lendline(secret, { name: few, history: 10_000 }), await lendline(secret, { name: many, history: HISTORY })];
  const work = 'by popularity';
  await bench.compare(subjects, [{ work, clients: 128 }]);
  const cost = (subject: string) => bench.get(subject, work, 128).rounds.map(({ cpu }) => cpu.filter(([program]) => program !== 'load generator').reduce((sum, [, ms]) => sum + ms, 0));
  bench.lines.push({ what: `processor time of a command, ${HISTORY} past borrows beside 10000`, ratio: ratioOf(cost(many), cost(few)), bound: 1.2, atMost: true });
  for (const { name, database } of subjects) await assertSound(name, database);
}

/** Nothing that is fast and wrong counts. */
async function assertSound(name: string, database: Sequelize): Promise<void> {
  await settled(database);
  const faults = await faultsOf(database);
  if (faults.length > 0) throw new Error(`${name} left behind: ${faults.join('; ')}`);
}

export async function benchBorrows(argv: readonly string[]): Promise<void> {
  const options = { rounds: { type: 'string', default: '3' }, out: { type: 'string', default: 'bench-results' } } as const;
  const { values } = parseArgs({ args: [...argv], options });
  exportServers(await provideServers());
  const secret = newSecret();
  const bench = new Bench(secret, Number(values.rounds));
  await mkdir(values.out, { recursive: true });
  const durability = await compareAll(bench, secret);
  await writeFile(join(values.out, 'borrows.svg'), plot(bench.measured));
  await compareWorkers(bench, secret);
  await compareHistories(bench, secret);
  await writeFile(join(values.out, 'borrows.json'), JSON.stringify({ durability, lines: bench.lines, measured: bench.measured }, null, 1));
  process.stdout.write([durability, '', ...linesTable(bench.lines), '', ...tableOf(bench.measured), ''].join('\n'));
}
