import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { openLibrary } from '../support/clients/books';
import { Child, ROOT } from '../support/service/child';
import { held } from '../support/run/held';
import { runOps } from '../support/service/ops-program';
import { newSecret, startServers, type Api, type System } from '../support/service/processes';
import {
  audit,
  disagreements,
  prepareStorm,
  type PreparedStorm,
} from '../support/check/storm-check';
import { exportedSecret, targetAt } from '../support/service/target';
import { waitUntil } from '../support/wait';

const PARTITIONS = 3;
const WAIT_MS = 60_000;
const CALLS_BETWEEN = 100;
/**
 * For so long each worker is at it before it dies, milliseconds: before the probes, with them, and
 * when queues wait to be removed.
 */
const KILLED_AFTER_MS = [100, 550, 800, 3000];
/** The same for a change that nobody has begun yet, so that it may be broken off at any step. */
const KILLED_AT_ONCE_MS = [50, 300, 500];
/**
 * Longest time for which clients may get no answer while the change goes on, milliseconds: they
 * wait for 10 s.
 */
const SILENCE_MS = 10_000;

describe('the number of partitions is changed under load', () => {
  let system: System;
  let prepared: PreparedStorm;
  let url: string;
  let called: readonly Api[];

  beforeAll(async () => {
    system = await startServers({
      apis: 2,
      workers: 2,
      env: { COMMAND_PARTITIONS: String(PARTITIONS) },
    });
    url = system.apis[0]?.url ?? '';
    called = system.apis;
    prepared = await prepareStorm(url, system.env.JWT_SECRET ?? '', () =>
      called.map((api) => api.url),
    );
    prepared.storm.start();
  });

  // Each rule leaves the storm running for the next one.
  afterAll(() => prepared.storm.stop());

  const resize = (partitions: number) =>
    runOps(
      { ...system.env, COMMAND_PARTITIONS: '' },
      'partitions',
      'resize',
      String(partitions),
      '--json',
    );
  const moreCalls = async () => {
    const until = prepared.storm.answered + CALLS_BETWEEN;
    await waitUntil(`${CALLS_BETWEEN} more calls`, WAIT_MS, () => prepared.storm.answered >= until);
  };
  const partitionsOf = async () =>
    (await runOps(system.env, 'partitions', 'list', '--json')).json.partitions as {
      partition: string;
      waiting: number;
      consumers: number;
    }[];

  /** Longest time between two answers while `work` goes on, milliseconds. */
  async function longestSilence(work: Promise<unknown>): Promise<number> {
    let [longest, answered, since] = [0, prepared.storm.answered, Date.now()];
    const timer = setInterval(() => {
      if (prepared.storm.answered !== answered)
        [answered, since] = [prepared.storm.answered, Date.now()];
      longest = Math.max(longest, Date.now() - since);
    }, 20);
    await work.finally(() => {
      clearInterval(timer);
    });
    return longest;
  }

  it('grows while clients see no more than a pause, and each title keeps its order', async () => {
    await moreCalls();
    const change = resize(8);
    const silence = await longestSilence(change);
    expect(await change).toMatchObject({ code: 0, json: { from: PARTITIONS, to: 8 } });
    expect(silence).toBeLessThan(SILENCE_MS);
    await moreCalls();
    const names = (await partitionsOf()).map(({ partition }) => partition);
    expect(names).toHaveLength(4 * 8);
    expect(names).toContain('lending.commands.g2.07');
  }, 180_000);

  it('shrinks, although the command is killed, its workers die one after the other, and an API is frozen meanwhile', async () => {
    const [, frozen] = system.apis;
    called = system.apis.slice(0, 1);
    // Beforehand, for the change would go on while one that replaces another starts.
    const spares = KILLED_AFTER_MS.map(() => system.addWorker({ COMMAND_PARTITIONS: '' }));
    await Promise.all(spares);
    await moreCalls();
    frozen?.child.freeze();
    const change = new Child({
      name: 'change',
      command: process.execPath,
      args: [join(ROOT, 'dist/workers/ops/main.js'), 'partitions', 'resize', '2'],
      env: system.env,
    });
    await change.line(
      'has begun',
      WAIT_MS,
      (line) => line.startsWith('New commands go to 2 partitions') || undefined,
    );
    await change.kill();
    const alive = [...system.workers];
    for (const ms of KILLED_AFTER_MS) {
      const busy = await waitUntil('a worker is at it', WAIT_MS, () =>
        alive.find(({ child }) => child.output.includes('number of partitions changes')),
      );
      await pause(ms);
      await busy.kill();
      alive.splice(alive.indexOf(busy), 1);
    }
    expect(await resize(5)).toMatchObject({
      code: 1,
      output: expect.stringContaining('A change to 2 partitions is under way') as string,
    });
    expect(await resize(2)).toMatchObject({ code: 0, json: { from: 8, to: 2 } });
    frozen?.child.thaw();
    called = system.apis;
    await moreCalls();
    expect(await partitionsOf()).toHaveLength(4 * 2);
  }, 240_000);

  it('grows as an administrator asks, although workers die as it begins', async () => {
    const alive = system.workers.filter(({ child }) => child.running);
    for (let count = 0; count < KILLED_AT_ONCE_MS.length; count += 1)
      alive.push(await system.addWorker({ COMMAND_PARTITIONS: '' }));
    const response = await fetch(`${url}/api/console/partitions/resize`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${prepared.admin}`,
        'content-type': 'application/json',
        prefer: 'wait=30',
      },
      body: JSON.stringify({ partitions: 4 }),
    });
    expect([response.status, await response.json()]).toEqual([200, { from: 2, to: 4 }]);
    for (const ms of KILLED_AT_ONCE_MS) {
      await pause(ms);
      await alive.shift()!.kill();
    }
    expect(await resize(4)).toMatchObject({ code: 0, json: { to: 4 } });
    await waitUntil('the former queues are gone', WAIT_MS, async () => {
      const names = (await partitionsOf()).map(({ partition }) => partition);
      return names.length === 4 * 4 && names.every((name) => name.includes('.g4.'));
    });
  }, 240_000);

  it('loses no command, doubles none and reorders none', async () => {
    const { storm } = prepared;
    await moreCalls();
    await storm.stop();
    expect(await disagreements(prepared, url)).toEqual([]);
    await audit(system.env, prepared);
    expect(storm.borrowIds.size).toBeGreaterThan(100);
    const killed = KILLED_AFTER_MS.length + KILLED_AT_ONCE_MS.length;
    const tried = `from ${PARTITIONS} to 8, 2 and 4, ${killed} workers killed over it, within ${storm.answered} calls`;
    await held(17, system.env, tried, 'no command lost, doubled or overtaken');
    for (const { promised } of storm.probes) expect(promised).toBeGreaterThan(100);
    expect(
      (await partitionsOf()).every(({ waiting, consumers }) => waiting === 0 && consumers > 0),
    ).toBe(true);
  }, 120_000);

  it('is refused for an invalid number, and does nothing for the present number', async () => {
    expect(await runOps(system.env, 'partitions', 'resize', '257')).toMatchObject({
      code: 2,
      output: expect.stringContaining('1 to 256') as string,
    });
    expect(await resize(4)).toMatchObject({ code: 0, json: { from: 4, to: 4 } });
  });
});

/**
 * For so long a title cannot be written once the change has begun, milliseconds: longer than the
 * change waits before it looks what is left.
 */
const LOCKED_MS = 2000;

/** Locks the row of a title; what is returned unlocks it. */
async function locked(url: string, bookInfoId: number): Promise<() => Promise<void>> {
  const connection = await createConnection(url);
  await connection.query('START TRANSACTION');
  await connection.query('SELECT id FROM book_info WHERE id = ? FOR UPDATE', [bookInfoId]);
  return () => connection.end();
}

describe('the number of partitions is changed while no worker runs', () => {
  /** Those before are more than two batches: the end of the first must not be that of all. */
  const [BEFORE, AFTER] = [400, 40] as const;

  it('what was accepted before is carried out before what is accepted later, at whichever API', async () => {
    const system = await startServers({
      apis: 2,
      workers: 1,
      env: { COMMAND_PARTITIONS: String(PARTITIONS), JWT_SECRET: exportedSecret(newSecret) },
    });
    const library = await openLibrary(
      targetAt(
        'servers',
        system.apis.map((api) => api.url),
      ),
    );
    const { bookInfoId } = await library.registered();
    await Promise.all(system.workers.map((worker) => worker.stop()));
    // The calls go to one API after the other, both of which learn of the change by what comes
    // back.
    const urls: string[] = [];
    const rename = async (count: number, name: string) => {
      for (let index = 0; index < count; index += 1) {
        const { status, body } = await library.manage(
          'patch',
          `/api/book-infos/${bookInfoId}`,
          { title: `${name} ${index}` },
          { Prefer: 'respond-async' },
        );
        expect(status).toBe(202);
        urls.push(body.statusUrl as string);
      }
    };
    const waiting = async (generation: string) => {
      const { json } = await runOps(system.env, 'partitions', 'list', '--json');
      const partitions = json.partitions as { partition: string; waiting: number }[];
      return partitions.reduce(
        (sum, { partition, waiting: count }) =>
          sum + (partition.startsWith(`lending.commands.${generation}`) ? count : 0),
        0,
      );
    };
    await rename(BEFORE, 'before');
    const change = new Child({
      name: 'change',
      command: process.execPath,
      args: [join(ROOT, 'dist/workers/ops/main.js'), 'partitions', 'resize', '5'],
      env: { ...system.env, COMMAND_PARTITIONS: '' },
    });
    await change.line(
      'has begun',
      WAIT_MS,
      (line) => line.startsWith('New commands go to 5 partitions') || undefined,
    );
    await rename(AFTER, 'after');
    await waitUntil(
      'the later ones wait in the new partitions',
      WAIT_MS,
      async () => (await waiting('g2')) === AFTER,
    );
    expect(await waiting('0')).toBe(BEFORE);
    // Its first batch cannot end, so that the others still wait when everything else is done.
    const unlock = await locked(system.env.MYSQL_URL ?? '', bookInfoId);
    const workers = [
      await system.addWorker({ COMMAND_PARTITIONS: '' }),
      await system.addWorker({ COMMAND_PARTITIONS: '' }),
    ];
    await waitUntil('a worker is at it', WAIT_MS, () =>
      workers.some(({ child }) => child.output.includes('number of partitions changes')),
    );
    await pause(LOCKED_MS);
    await unlock();
    expect(await change.exited).toMatchObject({ code: 0 });
    const versions: number[] = [];
    for (const url of urls)
      versions.push(
        await waitUntil(
          `${url} has succeeded`,
          WAIT_MS,
          async () =>
            ((await library.manage('get', url)).body.result as { version: number } | null)?.version,
        ),
      );
    expect(versions).toEqual(Array.from({ length: BEFORE + AFTER }, (_, index) => 2 + index));
    expect((await library.detail(bookInfoId)).title).toBe(`after ${AFTER - 1}`);
  }, 240_000);
});
