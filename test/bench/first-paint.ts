import type { Browser } from 'playwright-core';
import { openBrowser } from '../support/clients/browser';
import { newSecret, startEmbedded } from '../support/service/processes';

/**
 * How soon a page shows something on a slow line and a slow processor: first contentful paint, of
 * somebody who comes for the first time.
 */

const LOADS = 20;
/** Slow 4G, as Lighthouse has it: bytes a second, and the way there and back in milliseconds. */
const LINE = { downloadThroughput: 200_000, uploadThroughput: 93_750, latency: 150 };
const CPU_TIMES = 4;
const PAGES = ['/', '/console', '/desk'];
const WANTED_MS = 1000;
const PAINTED = `new Promise((done) =>
  new PerformanceObserver((list) => {
    const paint = list.getEntriesByName('first-contentful-paint')[0];
    if (paint) done(paint.startTime);
  }).observe({ type: 'paint', buffered: true }))`;

async function firstPaint(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext({ serviceWorkers: 'block' });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', { offline: false, ...LINE });
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_TIMES });
  await page.goto(url);
  const painted = await page.evaluate<number>(PAINTED);
  await context.close();
  return painted;
}

export async function benchFirstPaint(): Promise<void> {
  const { url } = await startEmbedded({ env: { JWT_SECRET: newSecret() } });
  const browser = await openBrowser();
  process.stdout.write(`| page, ${LOADS} loads | median | p75 | wanted p75 |\n|---|---|---|---|\n`);
  for (const page of PAGES) {
    const times: number[] = [];
    for (let load = 0; load < LOADS; load += 1) times.push(await firstPaint(browser, url + page));
    times.sort((a, b) => a - b);
    const at = (part: number) => `${(times[Math.floor(part * LOADS)] ?? 0).toFixed(0)} ms`;
    process.stdout.write(`| ${page} | ${at(0.5)} | ${at(0.75)} | ${WANTED_MS} ms |\n`);
  }
}
