import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { busyService } from '../pictures/busy';
import { exportServers } from '../support/servers/fresh';
import { provideServers } from '../support/servers/servers';
import { Visitors } from '../support/clients/visitors';
import { secondsOf } from './cpu';

/**
 * What an open console costs the API, and how long its frames take, at 1,000 partitions under load:
 * the same load without a console, and with one.
 */

const SERVICES = 4;
const PARTITIONS = 250;
const READERS = 24;
const ROUND_S = 20;
const WARM_MS = 10_000;
const FRAME_MAX_MS = 16;

/** How long each frame took, from its beginning until it was laid out and painted, milliseconds. */
async function frames(page: Page): Promise<number[]> {
  return page.evaluate<number[]>(
    `new Promise((done) => {
       const frames = [];
       const end = performance.now() + ${ROUND_S * 1000};
       const frame = () => {
         const began = performance.now();
         const channel = new MessageChannel();
         channel.port1.onmessage = () => {
           frames.push(performance.now() - began);
           if (performance.now() < end) requestAnimationFrame(frame); else done(frames);
         };
         channel.port2.postMessage(0);
       };
       requestAnimationFrame(frame);
     })`,
  );
}

const percentile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;

/** Processor time of the API in a round, as a part of a core. */
async function partOfCore(apiPid: number, run: () => Promise<unknown>): Promise<number> {
  const before = secondsOf(apiPid);
  const began = performance.now();
  await run();
  return (secondsOf(apiPid) - before) / ((performance.now() - began) / 1000);
}

export async function benchConsolePage(): Promise<void> {
  exportServers(await provideServers());
  const busy = await busyService(PARTITIONS, READERS);
  const visitors = await Visitors.open(busy.target);
  await pause(WARM_MS);
  const closed = await partOfCore(busy.apiPid, () => pause(ROUND_S * 1000));
  const page = await visitors.visit({
    ...{ page: '/console', place: '/overview', token: busy.target.token({ isAdmin: true }) },
  });
  await page.getByRole('list', { name: 'Now' }).waitFor();
  let times: number[] = [];
  const open = await partOfCore(busy.apiPid, async () => {
    times = (await frames(page)).sort((a, b) => a - b);
  });
  await busy.stop();
  process.stdout.write(
    [
      `| ${SERVICES * PARTITIONS} partitions, ${READERS} readers, ${ROUND_S} s | value |`,
      '|---|---|',
      `| API without a console, of a core | ${(100 * closed).toFixed(1)} % |`,
      `| API with a console, of a core | ${(100 * open).toFixed(1)} % |`,
      `| frames, median | ${percentile(times, 0.5).toFixed(1)} ms |`,
      `| frames, p99 | ${percentile(times, 0.99).toFixed(1)} ms |`,
      `| frames over ${FRAME_MAX_MS} ms | ${times.filter((time) => time > FRAME_MAX_MS).length} of ${times.length} |`,
      '',
    ].join('\n'),
  );
}
