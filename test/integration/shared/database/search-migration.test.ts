import { join } from 'node:path';
import type { Sequelize } from 'sequelize-typescript';
import { connectDatabase } from '../../../../shared/database/connect';
import { migrate } from '../../../../shared/database/migrate';
import { up as search } from '../../../../shared/database/migrations/0011-search';
import { up as bareWords } from '../../../../shared/database/migrations/0029-bare-words';
import { endingsOf } from '../../../../shared/search/words';
import { BorrowDay } from '../../../../shared/lending/tables';
import { SearchEnding, SearchWord } from '../../../../shared/search/tables';
import { onCleanUp, temporaryFolder } from '../../../support/run/cleanup';
import { freshDatabase } from '../../../support/servers/fresh';
import { fillWithSamples } from '../../api/lending/lending-samples';

/**
 * What was there before titles were found by their words, and before borrows were counted by days.
 */

const connect: Record<string, () => Promise<Sequelize>> = {
  sqlite: async () =>
    connectDatabase({
      url: join(await temporaryFolder('search-migration'), 'lendline.sqlite'),
      poolMax: 1,
    }),
  mysql: async () => connectDatabase({ url: await freshDatabase(), poolMax: 2 }),
};

async function stored(): Promise<string[][]> {
  const words = await SearchWord.findAll({ raw: true });
  const endings = await SearchEnding.findAll({ raw: true });
  const days = await BorrowDay.findAll({ raw: true });
  return [
    Array.from(words, ({ kind, word, id }) => `${kind} ${word} ${id}`).sort(),
    Array.from(endings, ({ kind, ending, word }) => `${kind} ${ending} ${word}`).sort(),
    Array.from(days, ({ day, bookInfoId, borrows }) => `${day} ${bookInfoId} ${borrows}`).sort(),
  ];
}

it.each(Object.keys(connect))(
  'is found and counted as if it had always been, also when the migration is run again (%s)',
  async (dialect) => {
    const database = await (connect[dialect] as () => Promise<Sequelize>)();
    onCleanUp(() => database.close());
    await migrate(database);
    await fillWithSamples();
    const expected = await stored();
    expect(expected.map(({ length }) => length > 0)).toEqual([true, true, true]);
    for (const table of ['search_word', 'search_ending', 'borrow_day'])
      await database.query(`DROP TABLE ${table}`);
    await search(database.getQueryInterface());
    expect(await stored()).toEqual(expected);
    await search(database.getQueryInterface());
    expect(await stored()).toEqual(expected);
  },
);

it.each(Object.keys(connect))(
  'is found without its accents as if it had always been, also when the migration is run again (%s)',
  async (dialect) => {
    const database = await (connect[dialect] as () => Promise<Sequelize>)();
    onCleanUp(() => database.close());
    await migrate(database);
    await fillWithSamples();
    for (let time = 1; time <= 2; time += 1) {
      await bareWords(database.getQueryInterface());
      const rows = await SearchEnding.findAll({ where: { kind: 'bare' }, raw: true });
      const whole = rows.filter(({ ending, word }) => ending === endingsOf('bare', word)[0]);
      expect(Array.from(whole, ({ ending, word }) => `${ending} ${word}`).sort()).toEqual([
        'a \u00e0',
        'emile \u00e9mile',
        "obrien! o'brien!",
      ]);
      expect(rows.length).toBe(1 + 5 + 7);
    }
  },
);
