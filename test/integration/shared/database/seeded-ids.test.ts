import { IdBlock } from '../../../../shared/database/worker-tables';
import { Actors } from '../../../../workers/batch/service/actors';
import { workerServices } from '../../../../workers/services';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';

describe.each(DIALECTS)('migrated %s', (dialect) => {
  it('has ids of every kind that a command may take', async () => {
    const database = await emptyDatabase(dialect);
    const open = workerServices({} as never);
    const all = open({ database, now: () => new Date(), actors: new Actors(), lockRows: false });
    const wanted = Object.values(all).flatMap(({ needs }) =>
      Object.entries(needs).flatMap(([type, { ids }]) =>
        Object.keys(ids).map((kind) => ({ type, kind })),
      ),
    );
    expect(wanted).not.toEqual([]);
    const seeded = (await IdBlock.findAll({ raw: true })).map(({ kind }) => kind);
    const missing = wanted.filter(({ kind }) => !seeded.includes(kind));
    expect(
      missing.map(({ type, kind }) => `no migration seeds the ids "${kind}" of ${type} (seedIds)`),
    ).toEqual([]);
  });
});
