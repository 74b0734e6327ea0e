import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ROOT } from '../support/service/child';
import { held } from '../support/run/held';
import { runOps } from '../support/service/ops-program';
import { freePorts } from '../support/servers/ports';
import { startServers, type Api, type Program, type System } from '../support/service/processes';
import { onDatabase } from '../support/servers/rows';
import { SteadyEditors } from '../support/clients/steady-editors';
import {
  audit,
  disagreements,
  prepareStorm,
  type PreparedStorm,
} from '../support/check/storm-check';
import { waitUntil } from '../support/wait';

/** Makes a program one of a later release, which writes commands that this one does not know. */
const LATER = {
  NODE_OPTIONS: `--require ${join(ROOT, 'test/support/service/later-release-hook.js')}`,
};
const CALLS = 200;
const CALLS_MS = 60_000;
const NOTICED_MS = 60_000;
/** How long commands wait that no worker knows, milliseconds. */
const WAIT_MS = 5000;
const TITLES = 12;

describe('programs of this release and of a later one, side by side under load', () => {
  let system: System;
  let prepared: PreparedStorm;
  let editors: SteadyEditors;
  let later: { api: Api; worker: Program };
  let metricsUrls: readonly string[];
  const apis: Api[] = [];
  const workers: Program[] = [];

  const moreCalls = async () => {
    const until = prepared.storm.answered + CALLS;
    await waitUntil('more calls', CALLS_MS, () => prepared.storm.answered >= until);
  };

  const partitionsWaiting = async () => {
    const texts = await Promise.all(
      metricsUrls.map(async (url) => (await fetch(`${url}/metrics`)).text()),
    );
    return texts
      .map((text) => Number(/^lendline_partitions_waiting (\d+)$/m.exec(text)?.[1] ?? 0))
      .reduce((sum, value) => sum + value, 0);
  };

  beforeAll(async () => {
    system = await startServers({ apis: 1, workers: 0 });
    const ports = await freePorts(2);
    metricsUrls = ports.map((port) => `http://127.0.0.1:${port}`);
    for (const port of ports)
      workers.push(await system.addWorker({ WORKER_METRICS_PORT: String(port) }));
    apis.push(...system.apis);
    const urls = () => apis.map((api) => api.url);
    const secret = system.env.JWT_SECRET ?? '';
    prepared = await prepareStorm(urls()[0] ?? '', secret, urls);
    editors = new SteadyEditors(urls, secret, prepared.admin);
    prepared.storm.start();
    await editors.start(TITLES);
    await moreCalls();
  }, 180_000);

  it('commands that no worker knows wait, and metrics and the doctor say so', async () => {
    const api = await system.addApi(LATER);
    apis.push(api);
    await waitUntil('partitions wait', NOTICED_MS, async () => (await partitionsWaiting()) > 0);
    await pause(WAIT_MS);
    const { output } = await runOps(system.env, 'doctor');
    expect(output).toMatch(/wait.* for a worker of a later release/);
    expect(await deadLetters()).toBe(0);
    later = { api, worker: await system.addWorker(LATER) };
    const begun = performance.now();
    await moreCalls();
    process.stderr.write(
      `Longest pause after the later worker came: ${Math.round(editors.longestSince(begun))} ms\n`,
    );
  }, 240_000);

  it('all move to the later release, and roll back to this one', async () => {
    await apis.shift()?.stop();
    for (const worker of workers.splice(0)) await worker.stop();
    await moreCalls();
    // Back again: the APIs first, so that nothing is written that the workers do not know.
    apis.unshift(await system.addApi());
    apis.pop();
    await later.api.stop();
    await moreCalls();
    await system.addWorker();
    await later.worker.stop();
    await moreCalls();
  }, 240_000);

  it('no command was lost, doubled or dead-lettered', async () => {
    await Promise.all([prepared.storm.stop(), editors.stop()]);
    expect(editors.violations).toEqual([]);
    expect(await disagreements(prepared, apis[0]?.url ?? '')).toEqual([]);
    expect(await deadLetters()).toBe(0);
    await audit(system.env, prepared);
    await held(
      29,
      system.env,
      'once, there and back',
      'commands of the later release wait for its worker, no dead letter, nothing lost or doubled',
    );
  }, 120_000);

  async function deadLetters(): Promise<number> {
    const [row] = await onDatabase(system.env, (select) =>
      select('SELECT COUNT(*) AS letters FROM dead_letter'),
    );
    return Number(row?.letters);
  }
});
