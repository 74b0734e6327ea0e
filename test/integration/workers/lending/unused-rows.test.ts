import type { Sequelize } from 'sequelize-typescript';
import { endingsOf, isBarable } from '../../../../shared/search/words';
import { Author, BookImg, BookInfo } from '../../../../shared/lending/tables';
import { SearchEnding, SearchWord } from '../../../../shared/search/tables';
import type { LendingCommand } from '../../../../shared/lending/commands';
import { lendingReads } from '../../../../workers/lending/reads';
import { UnusedRows } from '../../../../workers/lending/unused-rows';
import { waitUntil } from '../../../support/wait';
import { register } from '../../../support/models/lending/commands';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';

/**
 * Rows that no title refers to any more go, and never one that a command under way is about to use.
 */

const NOW = new Date('2026-01-02T12:00:00Z');
const WAIT_MS = 20_000;
const OPTIONS = {
  ...{ limited: false, holdsLimited: false, blocking: false, ruled: false },
  lockRows: true,
};

async function putAuthor(id: number, name: string): Promise<void> {
  await Author.create({ id, name, searchName: name });
  await putWord('author', name, id);
}

async function putWord(kind: 'author' | 'title', word: string, id?: number): Promise<void> {
  for (const of of isBarable(kind, word) ? [kind, 'bare' as const] : [kind])
    await SearchEnding.bulkCreate(
      endingsOf(of, word).map((ending) => ({ kind: of, ending, word })),
      { ignoreDuplicates: true },
    );
  if (id !== undefined) await SearchWord.create({ kind, word, id });
}

const titleRow = (id: number, authorId: number, bookImg: string | null) => ({
  id,
  title: 'kept',
  authorId,
  isbn: null,
  publicationDate: null,
  bookImg,
  totalStock: 0,
  availableStock: 0,
  borrowCount: 0,
  version: 1,
  searchTitle: 'kept',
  createdAt: NOW,
  modifiedAt: NOW,
  deletedAt: null,
});
const putTitle = (id: number, authorId: number, bookImg: string | null) =>
  BookInfo.create(titleRow(id, authorId, bookImg));

describe.each(DIALECTS)('rows that nothing refers to on %s', (dialect) => {
  let database: Sequelize;
  beforeEach(async () => {
    database = await emptyDatabase(dialect);
  });

  it('go: authors with their words, image addresses and endings of words; those of titles stay', async () => {
    await putAuthor(1, 'used');
    await putAuthor(2, 'unused');
    await BookImg.bulkCreate([
      { url: 'https://img.example/used' },
      { url: 'https://img.example/unused' },
    ]);
    await putTitle(1, 1, 'https://img.example/used');
    await putWord('title', 'kept', 1);
    await putWord('title', 'gone');
    await new UnusedRows(database).remove();
    expect((await Author.findAll({ raw: true })).map(({ name }) => name)).toEqual(['used']);
    expect((await BookImg.findAll({ raw: true })).map(({ url }) => url)).toEqual([
      'https://img.example/used',
    ]);
    expect(
      (await SearchWord.findAll({ raw: true, order: ['kind'] })).map(
        ({ kind, word }) => `${kind} ${word}`,
      ),
    ).toEqual(['author used', 'title kept']);
    expect(new Set((await SearchEnding.findAll({ raw: true })).map(({ word }) => word))).toEqual(
      new Set(['used', 'kept']),
    );
    expect(await SearchEnding.count()).toBe(
      endingsOf('author', 'used').length + endingsOf('title', 'kept').length,
    );
  });

  it('go: endings without accents of words that neither a title nor a name has', async () => {
    await putAuthor(1, 'rené');
    await putTitle(1, 1, null);
    await putWord('title', 'été', 1);
    await putWord('title', 'allé');
    await new UnusedRows(database).remove();
    const left = await SearchEnding.findAll({ where: { kind: 'bare' }, raw: true });
    expect(Array.from(left, ({ ending, word }) => `${ending} ${word}`).sort()).toEqual([
      ...['e rené', 'e été', 'ene rené', 'ete été', 'ne rené', 'rene rené', 'te été'],
    ]);
  });

  // In SQLite transactions take turns.
  if (dialect === 'mysql') {
    it.each(['author', 'search_ending'])(
      'stay when a batch that has read them commits what refers to them: %s',
      async (table) => {
        await putAuthor(1, 'writer');
        await putWord('title', 'taken');
        // The words of a title alone, or an author as well, whom the removal meets first.
        if (table === 'search_ending') await putTitle(2, 1, null);
        let removing: Promise<unknown> = Promise.resolve();
        await database.transaction(async (transaction) => {
          const command = register({ title: 'taken', author: 'writer' }) as LendingCommand;
          for (const { statement } of lendingReads([command], OPTIONS))
            await database.query(statement.sql, {
              replacements: [...statement.values] as string[],
              transaction,
            });
          let removed = false;
          removing = new UnusedRows(database).remove().then(() => (removed = true));
          await waitUntil('the removal waits for the batch, or is done', WAIT_MS, async () => {
            const [waiting] = await database.query(
              `SELECT 1 FROM information_schema.processlist WHERE db = DATABASE() AND info LIKE 'SELECT%FROM ${table} %FOR UPDATE'`,
            );
            return removed || waiting.length > 0;
          });
          await BookInfo.create({ ...titleRow(1, 1, null), title: 'taken' }, { transaction });
          await SearchWord.create({ kind: 'title', word: 'taken', id: 1 }, { transaction });
        });
        await removing;
        expect([
          await Author.count(),
          await SearchWord.count(),
          await SearchEnding.count(),
        ]).toEqual([
          1,
          2,
          endingsOf('author', 'writer').length + endingsOf('title', 'taken').length,
        ]);
      },
    );
  }
});
