import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { SingleBar } from 'cli-progress';
import { Setting } from '../../../shared/database/tables';
import { auditOperation } from '../audited';
import { OpsError, type OpsCommand } from '../command';
import { chooseInstallation, serversOption, withDatabase } from '../installation';
import type { CatalogueSize } from './catalogue';
import { Loading, SEED_SETTING, type SeedProgress } from './loading';

/**
 * Fills an empty installation with a made-up library. What is done is written down with it, so that
 * it can be broken off and goes on.
 */

const TITLES_MAX = 10_000_000;
const USERS_MAX = 10_000_000;
const BORROWS_MAX = 100_000_000;

/** Kinds of ids that the seed needs, each with the rows of its kind. */
const KINDS = ['user', 'author', 'book-info', 'book', 'borrow'] as const;

async function isEmpty(database: Sequelize): Promise<boolean> {
  const [row] = await database.query<{ found: number }>(
    'SELECT (SELECT COUNT(*) FROM (SELECT id FROM book_info LIMIT 1) t) + (SELECT COUNT(*) FROM (SELECT id FROM author LIMIT 1) a) AS found',
    { type: QueryTypes.SELECT },
  );
  return Number(row?.found) === 0;
}

/** Takes ids for everything that will be made, so that nobody else gets them. */
async function begin(database: Sequelize, size: CatalogueSize): Promise<SeedProgress> {
  if (!(await isEmpty(database)))
    throw new OpsError('This installation has titles already: a seed is for an empty one.');
  const at = Date.now();
  const counts = new Loading(database, {
    size,
    at,
    first: [1, 1, 1, 1, 1],
    done: [0, 0, 0, 0],
  }).rows();
  return database.transaction(async (transaction) => {
    const first: number[] = [];
    for (const [index, kind] of KINDS.entries()) {
      const ids = { replacements: { kind, count: counts[index] ?? 0 }, transaction };
      const [row] = await database.query<{ next_id: number }>(
        `SELECT next_id FROM id_block WHERE kind = :kind${database.getDialect() === 'sqlite' ? '' : ' FOR UPDATE'}`,
        { ...ids, type: QueryTypes.SELECT },
      );
      await database.query(
        'UPDATE id_block SET next_id = next_id + :count WHERE kind = :kind',
        ids,
      );
      first.push(Number(row?.next_id));
    }
    const progress: SeedProgress = { size, at, first, done: [0, 0, 0, 0] };
    await Setting.create({ name: SEED_SETTING, value: JSON.stringify(progress) }, { transaction });
    return progress;
  });
}

/** Returns the progress of a seed of this size, begun if it was not. */
export async function progressOf(database: Sequelize, size: CatalogueSize): Promise<SeedProgress> {
  const stored = await Setting.findByPk(SEED_SETTING, { raw: true });
  if (!stored) return begin(database, size);
  const progress = JSON.parse(stored.value) as SeedProgress;
  const { titles, users, borrows } = progress.size;
  if (
    JSON.stringify([titles, users, borrows]) ===
    JSON.stringify([size.titles, size.users, size.borrows])
  )
    return progress;
  throw new OpsError(
    `A seed of ${titles} titles, ${users} users and ${borrows} borrows was begun here. Continue with the same numbers.`,
  );
}

export const seed: OpsCommand = {
  summary: 'Fill an empty installation with a made-up library, for measuring',
  tellsProgress: true,
  options: {
    titles: { value: 'N', help: 'titles, each with up to 3 copies (default 10000)' },
    users: { value: 'N', help: 'users (default 1000)' },
    borrows: { value: 'N', help: 'past borrows (default 50000)' },
    ...serversOption,
    json: { help: 'print what was made as JSON' },
  },
  notes:
    'Stop the service first: seed writes past its queues and caches. To continue an interrupted seed, run it again\nwith the same numbers.',
  async run(given) {
    const size = {
      titles: given.integer('titles', { min: 1, max: TITLES_MAX, fallback: 10_000 }),
      users: given.integer('users', { min: 1, max: USERS_MAX, fallback: 1000 }),
      borrows: given.integer('borrows', { min: 0, max: BORROWS_MAX, fallback: 50_000 }),
    };
    return withDatabase(
      chooseInstallation(given.flag('servers')),
      async (database) => {
        await auditOperation({ action: 'ops.seed', facts: size });
        const loading = new Loading(database, await progressOf(database, size));
        const bar = new SingleBar({
          format: '{bar} {percentage}% | {value} of {total} rows | {eta_formatted} left',
          stream: process.stderr,
          hideCursor: true,
          noTTYOutput: true,
          notTTYSchedule: 5000,
        });
        bar.start(loading.total, loading.stored);
        try {
          await loading.run((stored) => {
            bar.update(stored);
          });
        } finally {
          bar.stop();
        }
        process.stdout.write(
          given.flag('json')
            ? `${JSON.stringify(size)}\n`
            : `There are ${size.titles} titles, ${size.users} users and ${size.borrows} past borrows.\n`,
        );
        return 0;
      },
      { multipleStatements: true },
    );
  },
};
