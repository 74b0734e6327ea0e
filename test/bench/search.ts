import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Sequelize } from 'sequelize-typescript';
import { popularTitles } from '../../api/lending/popular-titles';
import { searchTitles, type TitleSearch } from '../../api/lending/title-search';
import { connectDatabase } from '../../shared/database/connect';
import { migrate } from '../../shared/database/migrate';
import { word } from '../../workers/ops/seed/catalogue';
import { Loading } from '../../workers/ops/seed/loading';
import { progressOf } from '../../workers/ops/seed/seed';
import { temporaryFolder } from '../support/run/cleanup';
import { startMysql } from '../support/servers/private/mysql';
import { median, percentile } from './load';

/**
 * How long searches take among few titles and among many, on the same machine and server, one after
 * the other: what the database does, without HTTP and without the cache. `--on sqlite` for the
 * embedded default, `--titles N --borrows N` for other sizes, `--rounds N`. On a server of one's
 * own (`MYSQL_URL`) the titles stay, and are there for the next time.
 */

const FEW = { titles: 10_000, users: 10_000, borrows: 50_000 };
const MANY = { titles: 1_000_000, users: 100_000, borrows: 5_000_000 };
/** Memory that the tables of the largest size have room in. */
const MEMORY = '6G';

const [common, rare] = [word(0), word(30_000)];
const relevance = { field: 'relevance', descending: false } as const;
const newest = { field: 'createdAt', descending: true } as const;

type Query = (database: Sequelize) => Promise<unknown>;

const search =
  (asked: Partial<TitleSearch>): Query =>
  (database) =>
    searchTitles(database, { page: 1, size: 10, sort: newest, ...asked });

/** Page 1000, or the last one when there are fewer, by the link of the one before. */
const deep = (asked: Partial<TitleSearch>): Query => {
  const links = new WeakMap<Sequelize, Partial<TitleSearch>>();
  return async (database) => {
    const wanted = { size: 10, sort: newest, ...asked };
    let link = links.get(database);
    if (!link) {
      const { totalItems } = await searchTitles(database, { ...wanted, page: 1 });
      const { after } = await searchTitles(database, {
        ...wanted,
        page: Math.min(999, Math.ceil(totalItems / wanted.size) - 1),
      });
      if (!after) throw new Error('there is no second page');
      links.set(database, (link = { after }));
    }
    return searchTitles(database, { ...wanted, page: 1000, ...link });
  };
};

const QUERIES: Readonly<Record<string, Query>> = {
  'all, newest first': search({}),
  'all, page 1000': search({ page: 1000 }),
  'all, page 1000 by link': deep({}),
  'sort=title': search({ sort: { field: 'title', descending: false } }),
  'sort=-publicationDate': search({ sort: { field: 'publicationDate', descending: true } }),
  'sort=-availableStock': search({ sort: { field: 'availableStock', descending: true } }),
  'sort=-popularity': search({ sort: { field: 'popularity', descending: true } }),
  'sort=title, page 1000': search({ sort: { field: 'title', descending: false }, page: 1000 }),
  'sort=-popularity, page 1000': search({
    sort: { field: 'popularity', descending: true },
    page: 1000,
  }),
  'title, a common word': search({ title: common }),
  'title, a common word, page 1000 by link': deep({ title: common }),
  'sort=title, page 1000 by link': deep({ sort: { field: 'title', descending: false } }),
  'title, a rare word': search({ title: rare }),
  'title, part of a rare word': search({ title: rare.slice(1) }),
  'title, two common words': search({ title: `${common} ${word(1)}` }),
  'title, Korean': search({ title: '컰캻' }),
  'title, Japanese': search({ title: '東京' }),
  'title, an accented letter': search({ title: 'é' }),
  'author, many': search({ author: 'baca' }),
  'author, a whole name': search({ author: 'veca yahi' }),
  'isbn, whole': search({ isbn: '9798618033992' }),
  'isbn, six digits': search({ isbn: '033992' }),
  'q, a common word': search({ q: common }),
  'q, a rare word': search({ q: rare }),
  'relevance of title, a common word': search({ title: common, sort: relevance }),
  'relevance of title, a rare word': search({ title: rare, sort: relevance }),
  'relevance of title, two common words': search({
    title: `${common} ${word(1)}`,
    sort: relevance,
  }),
  'relevance of title, a letter': search({ title: common.slice(0, 1), sort: relevance }),
  'relevance of q, a common word': search({ q: common, sort: relevance }),
  'relevance of q, a rare word': search({ q: rare, sort: relevance }),
  'relevance of q, page 1000 by link': deep({ q: common, sort: relevance }),
  'words of a title and of an author': search({ q: `${rare} veca`, sort: relevance }),
  'publishedFrom, half of all': search({ publishedFrom: '1963-01-01' }),
  'a month of publication': search({ publishedFrom: '1955-05-01', publishedTo: '1955-05-31' }),
  'available=true': search({ available: true }),
  'available=false': search({ available: false }),
  'common word, available, of ten years': search({
    title: common,
    available: true,
    publishedFrom: '1990-01-01',
    publishedTo: '1999-12-31',
  }),
  'popular of 30 days': (database) => popularTitles(database, 30, 10, new Date()),
  'popular of 365 days': (database) => popularTitles(database, 365, 10, new Date()),
};

interface Measured {
  readonly median: number;
  readonly p99: number;
}

async function measure(query: Query, database: Sequelize, rounds: number): Promise<Measured> {
  const times: number[] = [];
  // The first rounds read what is not in memory yet.
  for (let round = -3; round < rounds; round += 1) {
    const at = performance.now();
    await query(database);
    if (round >= 0) times.push(performance.now() - at);
  }
  return { median: median(times), p99: percentile(times, 0.99) };
}

async function seeded(database: Sequelize, size: typeof FEW): Promise<void> {
  await migrate(database);
  const loading = new Loading(database, await progressOf(database, size));
  const begun = performance.now();
  const missing = loading.total - loading.stored;
  await loading.run(() => undefined);
  process.stderr.write(
    `${size.titles} titles, ${size.borrows} borrows: ${missing} rows were missing and stored in ${((performance.now() - begun) / 1000).toFixed(0)} s\n`,
  );
  if (database.getDialect() === 'mysql')
    await database.query(
      'ANALYZE TABLE book_info, author, book_user, search_word, search_ending, borrow_day',
    );
  else await database.query('ANALYZE');
}

export async function benchSearch(argv: readonly string[]): Promise<void> {
  const options = {
    on: { type: 'string', default: 'mysql' },
    titles: { type: 'string' },
    borrows: { type: 'string' },
    rounds: { type: 'string', default: '200' },
  } as const;
  const { values } = parseArgs({ args: [...argv], options });
  const many = {
    ...MANY,
    ...(values.titles && { titles: Number(values.titles) }),
    ...(values.borrows && { borrows: Number(values.borrows) }),
  };
  const server = values.on === 'sqlite' ? null : await mysqlServer();
  const results: Map<string, Measured>[] = [];
  for (const size of [FEW, many]) {
    const url = server
      ? await createSchema(server, `bench_${size.titles}`)
      : join(await temporaryFolder('bench'), 'lendline.sqlite');
    const database = connectDatabase({ url, poolMax: 2, multipleStatements: true });
    await seeded(database, size);
    const measured = new Map<string, Measured>();
    for (const [name, query] of Object.entries(QUERIES))
      measured.set(name, await measure(query, database, Number(values.rounds)));
    results.push(measured);
    await database.close();
  }
  const [few, more] = results as [Map<string, Measured>, Map<string, Measured>];
  const lines = Object.keys(QUERIES).map((name) => {
    const [a, b] = [few.get(name), more.get(name)] as [Measured, Measured];
    return `| ${name} | ${a.median.toFixed(1)} / ${a.p99.toFixed(1)} | ${b.median.toFixed(1)} / ${b.p99.toFixed(1)} | ${(b.median / a.median).toFixed(1)} |`;
  });
  process.stdout.write(
    [
      `| median / p99, ms | ${FEW.titles} titles | ${many.titles} titles | growth of the median |`,
      '|---|---|---|---|',
      ...lines,
      '',
    ].join('\n'),
  );
}

async function mysqlServer(): Promise<string> {
  return process.env.MYSQL_URL ?? (await startMysql({ memory: MEMORY })).url;
}

async function createSchema(server: string, name: string): Promise<string> {
  const database = connectDatabase({ url: server, poolMax: 1 });
  await database.query(`CREATE DATABASE IF NOT EXISTS ${name}`);
  await database.close();
  return new URL(`/${name}`, server).href;
}
