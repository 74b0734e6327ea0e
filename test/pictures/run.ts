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
import { takePlaces } from './places';

/**
 * `npm run pictures -- FOLDER [WORD]`: pictures of all places, at both widths, in both themes and
 * languages, or of those with the word in their name. Without a folder it makes those of the
 * documentation, while servers are at work.
 */

const PARTITIONS = 16;
const READERS = 12;
/** All places are taken of a smaller one. */
const [FEW_PARTITIONS, FEW_READERS, REST_MS] = [4, 1, 400];
/** For as long the service works before the pictures are taken, so that charts have something. */
const WORK_MS = 45_000;
const SETTLE_MS = 2500;
const HEIGHT_PX = 900;

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
  readonly scheme: 'light' | 'dark';
  readonly path: string;
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
  await page.screenshot({ path: picture.path });
  await page.context().close();
}

/** The pictures of the documentation. */
function documented({ target, borrower }: Busy): Picture[] {
  const admin = target.token({ isAdmin: true, username: 'ada' });
  const of = (file: string) => join(ROOT, 'docs', 'pictures', `${file}.png`);
  const console = { page: '/console', token: admin, width: 1280 };
  const reader = { page: undefined, token: borrower.token };
  const title = `/books/${borrower.bookInfoId}`;
  return [
    { ...console, place: '/overview', scheme: 'light', path: of('console') },
    { ...console, place: '/commands', scheme: 'dark', path: of('console-commands') },
    { ...console, place: '/partitions', scheme: 'light', path: of('console-partitions') },
    { ...reader, place: '/', width: 1280, scheme: 'light', path: of('reader') },
    { ...reader, place: title, width: 1280, scheme: 'dark', path: of('title-dark') },
    { ...reader, place: title, width: 390, scheme: 'dark', path: of('reader-narrow') },
  ];
}

async function main(): Promise<void> {
  const [folder, only = ''] = process.argv.slice(2);
  if (folder === undefined) exportServers(await provideServers());
  const busy =
    folder === undefined
      ? await busyService(PARTITIONS, READERS)
      : await busyService(FEW_PARTITIONS, FEW_READERS, { on: 'embedded', restMs: REST_MS });
  const visitors = await Visitors.open(busy.target);
  if (folder === undefined) {
    // Charts look back only while somebody watches.
    const token = busy.target.token({ isAdmin: true });
    await visitors.visit({ page: '/console', place: '/overview', token });
    await pause(WORK_MS);
    for (const picture of documented(busy)) await take(visitors, picture);
  } else await takePlaces(busy, visitors, folder, only);
  await busy.stop();
  for (const complaint of visitors.complaints)
    process.stderr.write(`${complaint}
`);
}

void main()
  .catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? '') : String(error)}\n`);
    process.exitCode = 1;
  })
  .then(cleanUp)
  .then(() => process.exit());
