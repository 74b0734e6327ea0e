import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { Visitors } from '../support/clients/visitors';
import type { Busy } from './busy';
import { setScene, type Scene } from './scene';

/** Pictures of every place, at both widths, in both themes and both languages. */

/** Views that differ in everything come first. */
const VIEWS = [
  ['ko-KR', 'dark', 390],
  ['en-GB', 'light', 1280],
  ['ko-KR', 'light', 1280],
  ['en-GB', 'dark', 390],
  ['en-GB', 'light', 390],
  ['en-GB', 'dark', 1280],
  ['ko-KR', 'light', 390],
  ['ko-KR', 'dark', 1280],
] as const;
const HEIGHT_PX = 900;
/** For as long a place may go on changing before its picture is taken, milliseconds. */
const SETTLE_MS = 300;
/** For as long a place may take to show something on a busy machine, milliseconds. */
const PATIENCE_MS = 20_000;
const LOADED = "!document.querySelector('main .skeleton, main [aria-busy=true]')";

const COMMON = { home: '/', search: '/books', library: '/library', notices: '/notices' };
const OWN = {
  ...COMMON,
  'search-word': '/books?q=dickens',
  'search-none': '/books?q=nothing',
  posts: '/board',
  'post-write': '/board/write',
  courses: '/learn',
  catalogue: '/admin',
  'desk-circulation': '/desk#/circulation',
  'desk-people': '/desk#/people',
  'desk-overdue': '/desk#/overdue',
  'desk-audit': '/desk#/audit',
  'desk-webhooks': '/desk#/webhooks',
  'console-partitions': '/console#/partitions/sort=-depth',
  'console-commands': '/console#/commands',
  'console-workers': '/console#/workers',
  'console-dead-letters': '/console#/dead-letters',
  'console-events': '/console#/events',
  'console-overview': '/console#/overview',
};
const NEWCOMERS = {
  ...COMMON,
  courses: '/learn',
  'desk-forbidden': '/desk',
  'console-forbidden': '/console',
};
const NOBODYS = { home: '/', 'sign-in': '/sign-in', 'sign-up': '/sign-up', desk: '/desk' };

interface Round {
  readonly who: string;
  readonly token: string | undefined;
  readonly places: Readonly<Record<string, string>>;
}

const rounds = ({ owner, newcomer, places }: Scene): Round[] => [
  {
    who: 'full',
    token: owner,
    places: { ...OWN, ...places },
  },
  { who: 'empty', token: newcomer, places: NEWCOMERS },
  { who: 'nobody', token: undefined, places: NOBODYS },
];

async function take(page: Page, address: string, path: string): Promise<void> {
  // With another `#` alone, the page would not be loaded anew.
  await page.goto('about:blank');
  await page.goto(address);
  await page.locator('main').first().waitFor();
  await page.waitForFunction(LOADED, undefined, { timeout: PATIENCE_MS }).catch(() => undefined);
  const first = page.locator('.commands summary').first();
  if ((await first.count()) > 0) await first.click();
  await pause(SETTLE_MS);
  await page.screenshot({ path, fullPage: true });
  process.stdout.write(`${path}\n`);
}

/** What is said while there is no connection. */
async function takeOffline(page: Page, path: string): Promise<void> {
  await page.context().setOffline(true);
  await page.evaluate("dispatchEvent(new Event('offline'))");
  await pause(SETTLE_MS);
  await page.screenshot({ path });
}

/** `only`: a part of the names of the places that are taken. */
export async function takePlaces(
  { target }: Busy,
  visitors: Visitors,
  folder: string,
  only: string,
): Promise<void> {
  const all = rounds(await setScene(target));
  for (const [locale, colorScheme, width] of VIEWS)
    for (const { who, token, places } of all) {
      const page = await visitors.visit({
        ...(token !== undefined && { token }),
        ...{ locale, colorScheme, viewport: { width, height: HEIGHT_PX } },
      });
      const pathOf = (name: string) =>
        join(folder, `${who}-${name}-${locale.slice(0, 2)}-${colorScheme}-${width}.png`);
      for (const [name, place] of Object.entries(places))
        if (name.includes(only)) await take(page, target.url + place, pathOf(name));
      await takeOffline(page, pathOf('offline'));
      await page.context().close();
    }
}
