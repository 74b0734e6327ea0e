import 'reflect-metadata';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { ROOT } from '../support/service/child';
import { cleanUp } from '../support/run/cleanup';
import { exportServers } from '../support/servers/fresh';
import { provideServers } from '../support/servers/servers';
import { Visitors } from '../support/clients/visitors';
import { busyService, type Busy } from './busy';

/**
 * `npm run pictures -- FOLDER`: pictures of the console and the desk while the service is at work,
 * at both widths and in both themes. Without a folder it makes those of the documentation.
 */

const PARTITIONS = 16;
const READERS = 12;
/** For as long the service works before the pictures are taken, so that charts have something. */
const WORK_MS = 45_000;
const SETTLE_MS = 2500;
const WIDTHS = [390, 1280];
const SCHEMES = ['light', 'dark'] as const;
const HEIGHT_PX = 900;

const PLACES: Readonly<Record<string, readonly string[]>> = {
  '/console': [
    '/overview',
    '/partitions/sort=-depth',
    '/commands',
    '/workers',
    '/dead-letters',
    '/events',
  ],
  '/desk': ['/circulation', '/people', '/overdue', '/audit', '/webhooks'],
};

/** Opens the way of the first command, where there is one. */
async function openFirst(page: Page): Promise<void> {
  const first = page.locator('.commands summary').first();
  if ((await first.count()) > 0) await first.click();
}

interface Picture {
  /** Undefined for a place of the readers' page. */
  readonly page: string | undefined;
  readonly token: string;
  readonly place: string;
  readonly width: number;
  readonly scheme: (typeof SCHEMES)[number];
  readonly path: string;
  readonly isWhole: boolean;
}

async function take(visitors: Visitors, picture: Picture): Promise<void> {
  const page = await visitors.visit({
    ...(picture.page !== undefined && { page: picture.page }),
    ...{ place: picture.place, token: picture.token, colorScheme: picture.scheme },
    viewport: { width: picture.width, height: HEIGHT_PX },
  });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await pause(SETTLE_MS);
  await openFirst(page);
  await pause(SETTLE_MS);
  await page.screenshot({ path: picture.path, fullPage: picture.isWhole });
  await page.context().close();
}

/** The pictures of the documentation. */
function documented({ target, borrower }: Busy): Picture[] {
  const admin = target.token({ isAdmin: true, username: 'ada' });
  const of = (file: string) => join(ROOT, 'docs', 'pictures', `${file}.png`);
  const console = { page: '/console', token: admin, width: 1280, isWhole: false };
  const reader = { page: undefined, token: borrower.token, isWhole: false };
  const title = `/books/${borrower.bookInfoId}`;
  return [
    { ...console, place: '/overview', scheme: 'light', path: of('console') },
    { ...console, place: '/commands', scheme: 'dark', path: of('console-commands') },
    { ...reader, place: '/', width: 1280, scheme: 'light', path: of('reader') },
    { ...reader, place: title, width: 390, scheme: 'dark', path: of('reader-narrow') },
  ];
}

function pictures(busy: Busy, folder: string | undefined): Picture[] {
  if (folder === undefined) return documented(busy);
  const token = busy.target.token({ isAdmin: true, username: 'ada' });
  return Object.entries(PLACES).flatMap(([page, places]) =>
    places.flatMap((place) =>
      WIDTHS.flatMap((width) =>
        SCHEMES.map((scheme) => ({
          ...{ page, token, place, width, scheme, isWhole: true },
          path: join(folder, `${page}-${place.split('/')[1] ?? ''}-${width}-${scheme}.png`),
        })),
      ),
    ),
  );
}

async function main(): Promise<void> {
  exportServers(await provideServers());
  const busy: Busy = await busyService(PARTITIONS, READERS);
  const visitors = await Visitors.open(busy.target);
  // Charts look back only while somebody watches.
  await visitors.visit({
    ...{ page: '/console', place: '/overview' },
    token: busy.target.token({ isAdmin: true }),
  });
  await pause(WORK_MS);
  for (const picture of pictures(busy, process.argv[2])) {
    await take(visitors, picture);
    process.stdout.write(`${picture.path}\n`);
  }
  await busy.stop();
  for (const complaint of visitors.complaints) process.stderr.write(`${complaint}\n`);
}

void main()
  .catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? '') : String(error)}\n`);
    process.exitCode = 1;
  })
  .then(cleanUp)
  .then(() => process.exit());
