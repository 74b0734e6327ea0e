import { setTimeout as pause } from 'node:timers/promises';
import { held } from '../support/run/held';
import { LONG } from '../support/faults/outage';
import { startServers, type Program, type System } from '../support/service/processes';
import { SteadyEditors } from '../support/clients/steady-editors';
import {
  audit,
  disagreements,
  prepareStorm,
  type PreparedStorm,
} from '../support/check/storm-check';
import { waitUntil } from '../support/wait';

/** Workers beside the first one at the peak. */
const MORE_WORKERS = 3;
/** How long workers are replaced, and how often one is, milliseconds. */
const ROLLING_MS = LONG ? 60_000 : 10_000;
const EVERY_MS = 2000;
/** Titles that one client each renames, spread over the partitions; the storm's are hot. */
const COLD_TITLES = 12;
const CALLS_BETWEEN = 50;
const CALLS_MS = 60_000;
/**
 * Longest that a title may stand still when a worker comes or leaves, milliseconds; on a quiet
 * machine it is a fraction of a second.
 */
const PAUSE_MS = 10_000;

describe('workers that start and stop in order, under steady load on hot and cold titles', () => {
  let system: System;
  let prepared: PreparedStorm;
  let editors: SteadyEditors;
  /** Those that run, the oldest first. */
  const running: Program[] = [];
  const pausesMs: number[] = [];

  const moreCalls = async () => {
    const [answered, edited] = [
      prepared.storm.answered + CALLS_BETWEEN,
      editors.answered + COLD_TITLES,
    ];
    await waitUntil(
      'more calls',
      CALLS_MS,
      () => prepared.storm.answered >= answered && editors.answered >= edited,
    );
  };

  const handOver = async (...steps: (() => Promise<unknown>)[]) => {
    const begun = performance.now();
    for (const step of steps) await step();
    pausesMs.push(editors.longestSince(begun));
  };

  const join = async () => running.push(await system.addWorker());
  const leave = async () => {
    expect(await running.shift()?.stop()).toEqual({ code: 0, signal: null });
  };

  beforeAll(async () => {
    system = await startServers({ apis: 2, workers: 1 });
    running.push(...system.workers);
    const urls = () => system.apis.map((api) => api.url);
    const secret = system.env.JWT_SECRET ?? '';
    prepared = await prepareStorm(urls()[0] ?? '', secret, urls);
    editors = new SteadyEditors(urls, secret, prepared.admin);
    prepared.storm.start();
    await editors.start(COLD_TITLES);
  }, 180_000);

  it('from one to four and back to one', async () => {
    for (let count = 0; count < MORE_WORKERS; count += 1) await handOver(join, moreCalls);
    for (let count = 0; count < MORE_WORKERS; count += 1) await handOver(leave, moreCalls);
    expect(running).toHaveLength(1);
  }, 240_000);

  it(
    'one after the other, each replaced by a new one',
    async () => {
      await join();
      for (const end = performance.now() + ROLLING_MS; performance.now() < end;) {
        // Whether calls go on or not, the next one is replaced.
        const due = pause(EVERY_MS);
        await handOver(
          () => Promise.all([leave(), join()]),
          () => due,
        );
      }
      await moreCalls();
      expect(running).toHaveLength(2);
    },
    ROLLING_MS + 240_000,
  );

  it('lose, double and reorder no command, fail no call, and pause titles only briefly', async () => {
    await Promise.all([prepared.storm.stop(), editors.stop()]);
    const sorted = [...pausesMs].sort((a, b) => a - b);
    const at = (share: number) => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
    process.stderr.write(
      `Pauses of cold titles in ${sorted.length} hand-overs of partitions: median ${at(0.5)} ms, 99th percentile ${at(0.99)} ms; ` +
        `${prepared.storm.answered + editors.answered} calls, ${prepared.storm.repeated} sent again\n`,
    );
    expect(editors.violations).toEqual([]);
    expect(await disagreements(prepared, system.apis[0]?.url ?? '')).toEqual([]);
    await audit(system.env, prepared);
    expect(at(1)).toBeLessThan(PAUSE_MS);
    const calls = prepared.storm.answered + editors.answered;
    await held(
      16,
      system.env,
      `1 to 4 to 1 workers, and one replaced each ${EVERY_MS / 1000} s for ${ROLLING_MS / 1000} s, within ${calls} calls`,
      'no command lost, doubled or overtaken, no 5xx but 503',
    );
  }, 120_000);
});
