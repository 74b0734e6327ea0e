import { pino } from 'pino';
import type { Sequelize } from 'sequelize-typescript';
import { connectDatabase } from '../../../../shared/database/connect';
import { LeaderJobs, type LeaderJob } from '../../../../workers/jobs/leader-jobs';
import { onCleanUp } from '../../../support/run/cleanup';
import { waitUntil } from '../../../support/wait';
import { emptyDatabase, migratedDatabase } from '../../../support/servers/database';

const WAIT_MS = 30_000;
const silent = pino({ level: 'silent' });

let url: string;
beforeAll(async () => {
  url = await migratedDatabase('mysql');
});

function connected(): Sequelize {
  const database = connectDatabase({ url, poolMax: 4, multipleStatements: true });
  onCleanUp(() => database.close().catch(() => undefined));
  return database;
}

let names = 0;
const newName = () => `job-${(names += 1)}`;

/** A worker with one job that counts its runs. */
class Worker {
  runs = 0;
  readonly jobs: LeaderJobs;
  private static count = 0;

  constructor(
    database: Sequelize,
    name: string,
    work: () => Promise<boolean> | boolean = () => false,
  ) {
    const job: LeaderJob = {
      name,
      everyMs: 10,
      run: async () => {
        this.runs += 1;
        return work();
      },
    };
    this.jobs = new LeaderJobs({
      database,
      worker: `worker-${(Worker.count += 1)}`,
      logger: silent,
      jobs: [job],
    });
    onCleanUp(() => this.jobs.stop());
  }

  async started(): Promise<this> {
    await this.jobs.start();
    return this;
  }

  /** Resolves when it has run this many times more. */
  async ran(times: number): Promise<void> {
    const until = this.runs + times;
    await waitUntil(`${times} more runs`, WAIT_MS, () => this.runs >= until);
  }
}

describe('a leader job', () => {
  it('runs at one of several workers, and moves to another when that one stops', async () => {
    const name = newName();
    const workers = await Promise.all(
      [1, 2, 3].map(async () => new Worker(connected(), name).started()),
    );
    for (let left = workers; left.length > 0;) {
      const present = left;
      const worker = await waitUntil('somebody does it', WAIT_MS, () =>
        present.find(({ runs }) => runs > 0),
      );
      await worker.ran(200);
      expect(present.filter(({ runs }) => runs > 0)).toEqual([worker]);
      await worker.jobs.stop();
      left = present.filter((other) => other !== worker);
    }
  });

  it('is one of several that a worker does for as long as it lives, and all of them go on with another', async () => {
    const names = [newName(), newName()];
    const start = async (worker: string, runs: number[]) => {
      const job = (name: string, index: number): LeaderJob => ({
        name,
        everyMs: 10,
        run: () => Promise.resolve((runs[index] = (runs[index] ?? 0) + 1) < 0),
      });
      const jobs = new LeaderJobs({
        database: connected(),
        worker,
        logger: silent,
        jobs: names.map(job),
      });
      onCleanUp(() => jobs.stop());
      await jobs.start();
      return jobs;
    };
    const [first, second] = [
      [0, 0],
      [0, 0],
    ];
    const jobs = await start('several-1', first);
    await waitUntil('it does both', WAIT_MS, () => first.every((runs) => runs > 0));
    await start('several-2', second);
    // Longer than a lease lasts.
    await waitUntil('it goes on', WAIT_MS, () => first.every((runs) => runs > 400));
    expect(second).toEqual([0, 0]);
    await jobs.stop();
    await waitUntil('the other does both', WAIT_MS, () => second.every((runs) => runs > 0));
  });

  it('goes on with another worker when the one that does it is cut off, and that one stops', async () => {
    const name = newName();
    const [database, other] = [connected(), connected()];
    const first = await new Worker(database, name).started();
    await first.ran(1);
    const second = await new Worker(other, name).started();
    await database.close();
    await second.ran(1);
    const { runs } = first;
    await second.ran(100);
    expect(first.runs).toBe(runs);
  });

  it('runs twice at once only while a frozen run lasts', async () => {
    const name = newName();
    const [database, other] = [connected(), connected()];
    let thaw: () => void = () => undefined;
    const frozen = new Promise<boolean>((resolve) => {
      thaw = () => {
        resolve(true);
      };
    });
    const first = await new Worker(database, name, () => frozen).started();
    await first.ran(1);
    await database.close();
    const second = await new Worker(other, name).started();
    await second.ran(1);
    thaw();
    await second.ran(100);
    expect(first.runs).toBe(1);
  });

  it('that failed is done again, and does not keep others from being done', async () => {
    const database = connected();
    const failing = await new Worker(database, newName(), () =>
      Promise.reject(new Error('no')),
    ).started();
    const other = await new Worker(database, newName()).started();
    await failing.ran(3);
    await other.ran(3);
  });

  it('that has more to do is run again without a pause, and stops in between', async () => {
    let left = 1000;
    const job: LeaderJob = {
      name: newName(),
      everyMs: 3_600_000,
      run: () => Promise.resolve((left -= 1) > 0),
    };
    const jobs = new LeaderJobs({
      database: await emptyDatabase('sqlite'),
      worker: 'alone',
      logger: silent,
      jobs: [job],
    });
    await jobs.start();
    await waitUntil('all is done', WAIT_MS, () => left === 0);
    await jobs.stop();
    const endless = await new Worker(connected(), newName(), () => true).started();
    await endless.ran(10);
    await endless.jobs.stop();
    const { runs } = endless;
    await new Promise(setImmediate);
    expect(endless.runs).toBe(runs);
  });

  it('is given up by a worker that stops, so that nobody has to wait for the end of its lease', async () => {
    const [name, database] = [newName(), connected()];
    const held = async () =>
      (
        await database.query('SELECT name FROM lease WHERE name = ? AND `until` > NOW(3)', {
          replacements: [name],
        })
      )[0].length;
    const worker = await new Worker(database, name).started();
    await worker.ran(1);
    expect(await held()).toBe(1);
    await worker.jobs.stop();
    expect(await held()).toBe(0);
  });

  it('needs no lease in the embedded default', async () => {
    const alone = await new Worker(await emptyDatabase('sqlite'), newName()).started();
    await alone.ran(3);
    await alone.jobs.stop();
  });
});
