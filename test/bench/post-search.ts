import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Sequelize } from 'sequelize-typescript';
import { findPosts, type PostFilters } from '../../api/posts/queries';
import { connectDatabase } from '../../shared/database/connect';
import { migrate } from '../../shared/database/migrate';
import { endingsOf } from '../../shared/search/words';
import { word } from '../../workers/ops/seed/catalogue';
import { temporaryFolder } from '../support/run/cleanup';
import { median, percentile } from './load';

/**
 * How long searches for posts take among few posts and among many, on SQLite, without HTTP. Word n
 * is in one post in n + 2, and each rare word in 20. `--posts N`, `--rounds N`.
 */

const FEW = 10_000;
const MANY = 1_000_000;
const WORDS = 200;
const POSTS_OF_A_RARE_WORD = 20;
const AUTHORS = 1000;
const PER_INSERT = 1000;
/** What else stands in a post, so that it is as long as one. */
const REST = Array.from({ length: 90 }, (_, number) => word(50_000 + number)).join(' ');

const has = (id: number, number: number): boolean => (id * 7919 + number) % (number + 2) === 0;
const rare = (id: number, posts: number): string => `rare${id % (posts / POSTS_OF_A_RARE_WORD)}x`;

const QUERIES: Readonly<Record<string, Partial<PostFilters>>> = {
  'no words': {},
  'a word of every second post': { q: word(0) },
  'the same, page 100': { q: word(0), page: 100 },
  'a word of every hundredth post': { q: word(98) },
  'a rare word': { q: 'rare77x' },
  'a part of a rare word': { q: 'are77x' },
  'two common words': { q: `${word(0)} ${word(3)}` },
  'a common and a rare word': { q: `${word(0)} rare77x` },
  'a common word of one author': { q: word(0), userId: 7 },
  'a common word, of a month': { q: word(0), from: '2024-01-01', to: '2024-01-31' },
};

async function fill(database: Sequelize, posts: number): Promise<void> {
  const run = (sql: string) => database.query(sql);
  const insert = async (into: string, rows: readonly string[]) => {
    for (let start = 0; start < rows.length; start += PER_INSERT)
      await run(`INSERT INTO ${into} VALUES ${rows.slice(start, start + PER_INSERT).join(', ')}`);
  };
  const common = Array.from({ length: WORDS }, (_, number) => word(number));
  const rares = Array.from({ length: posts / POSTS_OF_A_RARE_WORD }, (_, id) => rare(id, posts));
  await run('BEGIN');
  for (let first = 1; first <= posts; first += PER_INSERT) {
    const ids = Array.from({ length: PER_INSERT }, (_, index) => first + index);
    const texts = ids.map((id) =>
      [...common.filter((_, number) => has(id, number)), rare(id, posts), REST].join(' '),
    );
    const at = (id: number) => new Date(Date.UTC(2024, 0, 1) + (id * 31_536_000_000) / posts);
    const rows = ids.map(
      (id, index) =>
        `(${id}, ${1 + (id % AUTHORS)}, 'Title', '${texts[index]}', '[]', '${at(id).toISOString().replace('T', ' ').replace('Z', '')} +00:00')`,
    );
    await run(
      `INSERT INTO post (id, user_id, title, content, tags, created_at) VALUES ${rows.join(', ')}`,
    );
    await run(
      `INSERT INTO post_text VALUES ${ids.map((id, index) => `(${id}, '${texts[index]}')`).join(', ')}`,
    );
  }
  for (const [number, text] of [...common.entries()].sort(([, a], [, b]) => (a < b ? -1 : 1)))
    await run(
      `INSERT INTO search_word (kind, word, id) SELECT 'post', '${text}', id FROM post WHERE (id * 7919 + ${number}) % ${number + 2} = 0`,
    );
  await run(
    `INSERT INTO search_word (kind, word, id) SELECT 'post', 'rare' || (id % ${rares.length}) || 'x', id FROM post`,
  );
  const endings = [...new Set([...common, ...rares])].flatMap((text) =>
    endingsOf('post', text).map((ending) => `('post', '${ending}', '${text}')`),
  );
  await insert('search_ending (kind, ending, word)', endings);
  await run('COMMIT');
  await run('ANALYZE');
}

export async function benchPostSearch(argv: readonly string[]): Promise<void> {
  const options = {
    posts: { type: 'string', default: String(MANY) },
    rounds: { type: 'string', default: '100' },
  } as const;
  const { values } = parseArgs({ args: [...argv], options });
  const columns: string[][] = [];
  for (const posts of [FEW, Number(values.posts)]) {
    const url = join(await temporaryFolder('bench'), 'lendline.sqlite');
    const database = connectDatabase({ url, poolMax: 1 });
    await migrate(database);
    await fill(database, posts);
    const column: string[] = [];
    for (const query of Object.values(QUERIES)) {
      const times: number[] = [];
      for (let round = -3; round < Number(values.rounds); round += 1) {
        const begun = performance.now();
        await findPosts(database, { page: 1, size: 10, ...query });
        if (round >= 0) times.push(performance.now() - begun);
      }
      column.push(`${median(times).toFixed(1)} / ${percentile(times, 0.99).toFixed(1)}`);
    }
    columns.push(column);
    await database.close();
  }
  const lines = Object.keys(QUERIES).map(
    (name, at) => `| ${name} | ${columns.map((column) => column[at]).join(' | ')} |`,
  );
  process.stdout.write(
    [
      `| median / p99, ms | ${FEW} posts | ${values.posts} posts |`,
      '|---|---|---|',
      ...lines,
      '',
    ].join('\n'),
  );
}
