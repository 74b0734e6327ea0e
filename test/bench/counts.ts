import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { Pool } from 'undici';
import { exportServers } from '../support/servers/fresh';
import { provideServers } from '../support/servers/servers';
import { newSecret } from '../support/service/processes';
import { ofMysql } from './durability';
import { FIRST_READER, readerTokens } from './library';
import { moveCopies, allowDoubles } from './counts-library';
import { kindsOf, QUEUE_RIVALS } from './rivals/rival';
import { rival } from './rivals/start';
import { statusOf, type Sent } from './send';
import { lendline, type Subject } from './subjects';

/**
 * `npm run bench -- counts`: what queues lose, do twice or do in another order while their worker
 * is killed. Borrows of a few titles are put into the queue, those of a title one after the other,
 * each once the last is confirmed. Nobody waits for their ends. Options:
 *
 * - `--count N`: borrows, 2,000 unless it is given
 * - `--kills N`: how often the worker is killed, 3 unless it is given
 * - `--rivals LIST`: only these, and Lendline when `lendline` is one of them
 */

const TITLES = 8;
const OURS = 'lendline';
/** How long a worker stays away, milliseconds. */
const AWAY_MS = 500;
/** When nothing was carried out for so long, nothing more will be, milliseconds. */
const IDLE_MS = 60_000;
/** The same, when all are stored and some may be carried out once more. */
const LATE_MS = 20_000;
const LOOK_MS = 100;
/** When a queue takes no more, milliseconds until it is asked again. */
const FULL_MS = 50;
const FULL: readonly number[] = [429, 503];

interface Request {
  readonly title: number;
  readonly userId: number;
  readonly sent: Sent;
}

/** Each of another reader and title, the titles in turn. */
function requests(count: number, tokens: readonly string[]): Request[] {
  return Array.from({ length: count }, (_, index) => {
    const title = 1 + (index % TITLES);
    const reader = (index + Math.floor(index / tokens.length)) % tokens.length;
    const token = tokens[reader] ?? '';
    return {
      title,
      userId: FIRST_READER + reader,
      sent: {
        method: 'POST',
        path: '/api/borrows',
        token,
        body: { bookInfoId: title },
        prefer: 'respond-async',
      },
    };
  });
}

/** Puts borrows of one title into the queue in their order. */
async function putInOrder(pool: Pool, ordered: readonly Request[]): Promise<void> {
  for (const { sent } of ordered) {
    let status = await statusOf(pool, sent);
    while (FULL.includes(status)) {
      await pause(FULL_MS);
      status = await statusOf(pool, sent);
    }
    if (status !== 202) throw new Error(`a queue answered ${status} instead of 202`);
  }
}

interface Stored {
  readonly rows: number;
  /** Those that have a row. */
  readonly requests: number;
}

async function stored(database: Sequelize): Promise<Stored> {
  const [row] = await database.query<{ total: number | string | null; requests: number | string }>(
    `SELECT SUM(times) AS total, COUNT(*) AS requests FROM
       (SELECT COUNT(*) AS times FROM book_user GROUP BY user_id, book_info_id) AS found`,
    { type: QueryTypes.SELECT },
  );
  return { rows: Number(row?.total ?? 0), requests: Number(row?.requests ?? 0) };
}

/** Waits until so many requests have a row, or nothing happens any more. */
async function untilStored(database: Sequelize, wanted: number, idleMs = IDLE_MS): Promise<void> {
  let [last, since] = [-1, Date.now()];
  while (Date.now() - since < idleMs) {
    const { rows, requests } = await stored(database);
    if (requests >= wanted) return;
    if (rows !== last) [last, since] = [rows, Date.now()];
    await pause(LOOK_MS);
  }
}

interface Counts {
  /** Confirmed by the queue, and never carried out. */
  readonly lost: number;
  /** Rows beside the first one of a request. */
  readonly doubled: number;
  /** Carried out after one of the same title that was confirmed later. */
  readonly overtaken: number;
}

/** @param rows of one title, in the order in which they were stored. */
function counted(ordered: readonly { readonly userId: number }[], rows: readonly number[]): Counts {
  const places = new Map(ordered.map(({ userId }, index) => [userId, index]));
  const seen = new Set<number>();
  let [latest, overtaken] = [-1, 0];
  for (const userId of rows) {
    if (seen.has(userId)) continue;
    seen.add(userId);
    const place = places.get(userId) ?? -1;
    if (place < latest) overtaken += 1;
    latest = Math.max(latest, place);
  }
  return { lost: ordered.length - seen.size, doubled: rows.length - seen.size, overtaken };
}

async function countsOf(database: Sequelize, all: readonly Request[]): Promise<Counts> {
  const rows = await database.query<{ reader: number | string; title: number | string }>(
    'SELECT user_id AS reader, book_info_id AS title FROM book_user ORDER BY id',
    { type: QueryTypes.SELECT },
  );
  const sum = { lost: 0, doubled: 0, overtaken: 0 };
  for (let title = 1; title <= TITLES; title += 1) {
    const own = rows.filter((row) => Number(row.title) === title);
    const { lost, doubled, overtaken } = counted(
      all.filter((request) => request.title === title),
      own.map(({ reader }) => Number(reader)),
    );
    sum.lost += lost;
    sum.doubled += doubled;
    sum.overtaken += overtaken;
  }
  return sum;
}

interface Run {
  readonly count: number;
  readonly kills: number;
  readonly tokens: readonly string[];
}

/** Kills the worker when parts of the borrows are stored, and starts it again. */
async function killWorker(
  { worker, database }: Subject,
  { count, kills }: Pick<Run, 'count' | 'kills'>,
): Promise<void> {
  if (!worker || !database) throw new Error('there is no worker to kill');
  for (let kill = 1; kill <= kills; kill += 1) {
    await untilStored(database, Math.floor((count * kill) / (kills + 1)));
    await worker.kill();
    await pause(AWAY_MS);
    await worker.start();
  }
}

async function measured(subject: Subject, { count, kills, tokens }: Run): Promise<string> {
  const { name, url, database } = subject;
  if (!database) throw new Error(`${name} keeps nothing`);
  await moveCopies(database, TITLES);
  await allowDoubles(database);
  const all = requests(count, tokens);
  const pool = new Pool(url, { connections: TITLES });
  const began = performance.now();
  const killing = killWorker(subject, { count, kills });
  await Promise.all(
    Array.from({ length: TITLES }, (_, index) =>
      putInOrder(
        pool,
        all.filter(({ title }) => title === index + 1),
      ),
    ),
  );
  const putAfter = (performance.now() - began) / 1000;
  await killing;
  await untilStored(database, count);
  const storedAfter = (performance.now() - began) / 1000;
  // What is carried out once more may come late.
  await untilStored(database, Infinity, LATE_MS);
  await pool.close();
  const { lost, doubled, overtaken } = await countsOf(database, all);
  const cells = [
    name,
    count,
    lost,
    doubled,
    overtaken,
    putAfter.toFixed(1),
    storedAfter.toFixed(1),
  ];
  return `| ${cells.join(' | ')} |`;
}

export async function benchCounts(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      count: { type: 'string', default: '2000' },
      kills: { type: 'string', default: '3' },
      rivals: { type: 'string' },
    },
  });
  const wanted = kindsOf(values.rivals, [...QUEUE_RIVALS, OURS] as const);
  exportServers(await provideServers());
  const secret = newSecret();
  const count = Number(values.count);
  const run = { count, kills: Number(values.kills), tokens: readerTokens(secret, count) };
  const lines: string[] = [];
  const durabilities = new Set<string>();
  for (const kind of wanted) {
    const subject = await (kind === OURS ? lendline(secret) : rival(kind, secret, false));
    if (subject.database) durabilities.add(subject.durability ?? (await ofMysql(subject.database)));
    const line = await measured(subject, run);
    process.stderr.write(`${line}\n`);
    lines.push(line);
  }
  process.stdout.write(
    [
      ...durabilities,
      `Kills of each worker: ${run.kills}`,
      '',
      '| queue | confirmed | lost | doubled | overtaken | confirmed after, s | stored after, s |',
      '|---|---|---|---|---|---|---|',
      ...lines,
      '',
    ].join('\n'),
  );
}
