import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { Library } from '../support/clients/books';
import { startService } from '../support/service/start-service';
import { newPoison, quarantined, type Poison } from '../support/faults/poison';
import { ADMIN } from '../support/service/processes';
import type { Target } from '../support/service/target';
import { tabTo } from '../support/clients/keyboard';
import { administratorMade } from '../support/clients/sign-in';
import { INSTALL_MS, Visitors } from '../support/clients/visitors';
import { waitUntil } from '../support/wait';

/**
 * The console, as an operator uses it. Its service can be given commands that it cannot carry out.
 */

/** Within this time a page opens a stream again that has ended, milliseconds. */
const STREAM_AGAIN_MS = 1500;
/** Within this time what was replayed can be read, milliseconds. */
const CARRIED_OUT_MS = 30_000;
/** A minute of history, on a busy machine, milliseconds. */
const HISTORY_MS = 100_000;

let poison: Poison;
let lendline: Target;
let library: Library;
let visitors: Visitors;
beforeAll(async () => {
  poison = await newPoison();
  lendline = (await startService({ env: poison.env })).target;
  library = new Library(lendline);
  visitors = await Visitors.open(lendline);
}, INSTALL_MS);

afterEach(async () => {
  expect(await visitors.leave()).toEqual([]);
});

const visit = (place: string, more: object = {}): Promise<Page> =>
  visitors.visit({ page: '/console', place, token: lendline.admin, ...more });

const deadLettersOf = (page: Page, bookInfoId: number) =>
  page.getByRole('article').filter({ hasText: `book-info:${bookInfoId}` });

it('opens only for an administrator who signs in', async () => {
  await administratorMade(lendline.url);
  const page = await visitors.visit({ page: '/console' });
  await page.getByLabel('Username').fill(ADMIN.username);
  await page.getByLabel('Password').fill(ADMIN.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Username').waitFor();
  const other = await visit('/partitions', { token: library.newReader().token });
  await other.getByText('The console is for administrators.').waitFor();
  expect(await other.getByRole('heading', { name: 'Partitions' }).count()).toBe(0);
});

it('says in the first of two windows that the updates go on in the second, and leaves it there', async () => {
  const token = library.target.token({ isAdmin: true });
  const first = await visit('/partitions', { token });
  await first.getByRole('heading', { name: 'Partitions', level: 1 }).waitFor();
  await first.getByRole('row').nth(1).waitFor();
  const second = await visit('/partitions', { token });
  await first.getByText('Open in another window').waitFor();
  await second.getByRole('row').nth(1).waitFor();
  // It asks for the place again only when somebody reloads it: they would take it from each other
  // for ever.
  await pause(2 * STREAM_AGAIN_MS);
  expect(await second.getByText('Open in another window').count()).toBe(0);
  await first.reload();
  await second.getByText('Open in another window').waitFor();
});

it('shows in charts and tables what happens while one looks', async () => {
  const page = await visit('/overview');
  const chart = page.getByRole('img', { name: /Commands per second/ });
  await chart.waitFor();
  const drawn = () => page.evaluate<string>("document.querySelector('.chart canvas').toDataURL()");
  const quiet = await drawn();
  const { bookInfoId } = await library.registered({ copies: 1 });
  const reader = library.newReader();
  const state = { over: false };
  const busy = (async () => {
    while (!state.over) {
      await library.borrowed(reader, { bookInfoId });
      await library.returned(reader, { bookInfoId });
    }
  })();
  try {
    await page.getByRole('img', { name: /Commands per second. Now: [1-9]/ }).waitFor();
    expect(await drawn()).not.toBe(quiet);
    const figures = page.getByRole('list', { name: 'Now' });
    await figures.getByRole('link', { name: /Wait, p99 \d+ ms/ }).waitFor();
    await page.getByRole('region', { name: 'Partitions to look at' }).waitFor();
    await page.getByRole('link', { name: /^All \d+ partitions/ }).click();
    await page.getByRole('img', { name: /partitions: \d+ with commands/ }).waitFor();
    await page.getByLabel('Only partitions with commands').check();
    await page
      .getByRole('row', { name: /^lending\.commands/ })
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Commands' }).click();
    await page.getByRole('row', { name: /lending\.borrow-book .* ms .* ms/ }).waitFor();
    await page.getByRole('link', { name: 'Workers' }).click();
    await page.getByRole('row', { name: /alive/ }).first().waitFor();
    await page.getByRole('rowheader').first().getByRole('link').click();
    await page.getByRole('region', { name: 'Owned partitions' }).waitFor();
    await page.getByRole('link', { name: 'Events' }).click();
    await page.getByText('lending.borrow.created').first().waitFor();
  } finally {
    state.over = true;
    await busy;
  }
});

it('finds a command by its aggregate, and shows its way step by step', async () => {
  const { bookInfoId } = await library.registered({ copies: 1 });
  await library.borrowed(library.newReader(), { bookInfoId });
  const page = await visit('/commands');
  await page.getByLabel('Value').fill(`book-info:${bookInfoId}`);
  await page.keyboard.press('Enter');
  const found = page.getByRole('listitem').filter({ hasText: 'lending.borrow-book' });
  await found.locator('summary').click();
  const way = found.getByRole('list', { name: 'Timeline' });
  await way.getByText('Answered').waitFor();
  // What the API knows alone is written down a moment later.
  await way.getByText('unknown').first().waitFor({ state: 'detached' });
  const steps = await way.getByRole('listitem').allInnerTexts();
  expect(steps.map((step) => step.replaceAll(/\s+/g, ' ').trim())).toEqual(
    ['Received', 'Confirmed', 'Taken', 'Decided', 'Committed', 'Answered'].map((step) =>
      expect.stringMatching(new RegExp(`^${step} (?:\\S+ )?\\+ \\d+ ms$`)),
    ),
  );
  await page.getByLabel('Search by').selectOption('Command id');
  await page.getByLabel('Value').fill('nonsense');
  await page.keyboard.press('Enter');
  await page
    .getByRole('alert')
    .getByText(/id must be the id of a command/)
    .first()
    .waitFor();
  await page
    .getByRole('alert')
    .getByText(/^Request \S+/)
    .waitFor();
});

it('replays the dead letters of an aggregate, which vanish as they are carried out', async () => {
  const bookInfoId = await quarantined(library, poison);
  const page = await visit('/dead-letters');
  const letters = deadLettersOf(page, bookInfoId);
  await letters.nth(1).waitFor();
  await letters.first().getByText('TypeError: stock is undefined').waitFor();
  await letters.first().getByText('Message').click();
  await letters.first().getByText(`"bookInfoId": ${bookInfoId}`).waitFor();
  await letters
    .first()
    .getByRole('button', { name: /^Replay/ })
    .click();
  await letters.first().waitFor({ state: 'detached' });
  await waitUntil(
    'both borrows',
    CARRIED_OUT_MS,
    async () => (await library.detail(bookInfoId)).availableStock === 0,
  );
});

it('keeps the trace of a replay: attempts with their steps, who replayed, and a count beside the place', async () => {
  const bookInfoId = await quarantined(library, poison);
  const page = await visit('/dead-letters');
  const letters = deadLettersOf(page, bookInfoId);
  await page
    .getByRole('link', { name: /^Dead letters \d+$/ })
    .first()
    .waitFor();
  await letters.first().getByText('Tried 1 time').waitFor();
  await poison.set({ [bookInfoId]: 'throw' });
  await letters
    .first()
    .getByRole('button', { name: /^Replay/ })
    .click();
  await letters.first().getByText('Tried 2 times').waitFor();
  await poison.lift();
  await letters
    .first()
    .getByRole('button', { name: /^Replay/ })
    .click();
  await letters.first().waitFor({ state: 'detached' });
  const replay = page
    .getByRole('region', { name: 'Latest replays' })
    .getByRole('row')
    .filter({ hasText: `book-info:${bookInfoId}` })
    .first();
  await replay.getByText('2 done').waitFor();
  await replay.getByRole('link').click();
  const first = page.getByRole('listitem').filter({ hasText: 'lending.borrow-book' }).last();
  await first.locator('summary').click();
  await first.getByRole('heading', { name: /^Attempt 3/ }).waitFor();
  const attempts = first.getByRole('list', { name: 'Timeline' });
  // The client was answered once, after the first attempt.
  await attempts.first().getByText('Answered').waitFor();
  await attempts.last().getByText('Decided').waitFor();
  expect(await attempts.last().getByText('Answered').count()).toBe(0);
});

it('replays and discards many dead letters at once, after it has said what will happen', async () => {
  const bookInfoId = await quarantined(library, poison);
  const page = await visit('/dead-letters');
  const letters = deadLettersOf(page, bookInfoId);
  await letters.nth(1).waitFor();
  await page.getByLabel('Select all').check();
  await page.getByRole('button', { name: 'Replay…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(new RegExp(`book-info:${bookInfoId}`)).waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Discard…' }).click();
  await dialog.getByText(new RegExp(`Borrow \\(book-info:${bookInfoId}\\)`)).waitFor();
  await page.keyboard.press('Escape');
  for (const box of await letters.getByRole('checkbox').all()) await box.check();
  await page.getByRole('button', { name: 'Replay…' }).click();
  await dialog.getByRole('button', { name: 'Replay' }).click();
  await letters.first().waitFor({ state: 'detached' });
});

it('sorts and searches a table by its address', async () => {
  const page = await visit('/partitions/sort=-partition&q=posts');
  const names = page.getByRole('rowheader');
  await names.first().waitFor();
  const texts = await names.allInnerTexts();
  expect(texts).toEqual([...texts].sort().reverse());
  expect(texts.every((name) => name.startsWith('posts.'))).toBe(true);
  await page.getByRole('button', { name: 'Partition' }).click();
  await page.locator('th[aria-sort=ascending]').getByText('Partition').waitFor();
  expect(page.url()).toContain('sort=partition');
});

it('draws a gap where nothing is known, and begins with what happened before', async () => {
  await library.registered();
  // A service that has just started has nothing behind it yet.
  await waitUntil('the service has a minute behind it', HISTORY_MS, async () => {
    const { items } = (await library.manage('get', '/api/console/history')).body;
    return items.length > 60;
  });
  const page = await visit('/overview');
  const chart = page.getByRole('img', { name: /Commands per second/ });
  await chart.waitFor();
  // More than the second or two for which the page is open.
  await page.waitForFunction(
    "Number(document.querySelector('.chart [data-points]').dataset.points) > 60",
  );
});

it('holds events back while it is paused', async () => {
  const page = await visit('/events/type=lending');
  await page.getByText('No events yet.').waitFor();
  await library.registered();
  const events = page.getByRole('list', { name: 'Events' }).getByRole('listitem');
  await events.first().waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  const before = await events.count();
  await library.registered();
  await page.getByRole('button', { name: /^Show \d+ new event/ }).waitFor();
  expect(await events.count()).toBe(before);
  await page.getByRole('button', { name: /^Show \d+ new event/ }).click();
  await events.nth(before).waitFor();
});

it('replays the dead letters of an aggregate by keyboard alone', async () => {
  const bookInfoId = await quarantined(library, poison);
  const page = await visit('/overview');
  await page
    .getByRole('link', { name: /^Dead letters \d+$/ })
    .first()
    .waitFor();
  await tabTo(page, /^Dead letters/);
  await page.keyboard.press('Enter');
  const letters = deadLettersOf(page, bookInfoId);
  await letters.nth(1).waitFor();
  await tabTo(page, new RegExp(`^Replay.*book-info:${bookInfoId}`));
  await page.keyboard.press('Enter');
  await letters.first().waitFor({ state: 'detached' });
});

it('discards a dead letter, by keyboard alone, after it has asked', async () => {
  const bookInfoId = await quarantined(library, poison);
  const page = await visit('/dead-letters');
  const letters = deadLettersOf(page, bookInfoId);
  await letters.nth(1).waitFor();
  await letters
    .last()
    .getByRole('button', { name: /^Discard/ })
    .focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  expect(await letters.count()).toBe(2);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Discard permanently' }).focus();
  await page.keyboard.press('Enter');
  await letters.nth(1).waitFor({ state: 'detached' });
  expect(await letters.count()).toBe(1);
  expect(await library.detail(bookInfoId)).toMatchObject({ availableStock: 2 });
});
