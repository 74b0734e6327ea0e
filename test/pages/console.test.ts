import { setTimeout as pause } from 'node:timers/promises';
import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { Library } from '../support/books';
import { ownTarget } from '../support/own-target';
import { newPoison, type Poison } from '../support/poison';
import { ADMIN } from '../support/processes';
import type { Target } from '../support/target';
import { INSTALL_MS, Visitors } from '../support/visitors';

/**
 * The console, as an operator uses it. Its service can be given commands that it cannot carry out.
 */

/** Pause after which a page opens a stream again that has ended, milliseconds. */
const STREAM_AGAIN_MS = 1500;
const WIDTHS = [390, 1280];
const SCHEMES = ['light', 'dark'] as const;
const PLACES = {
  Partitions: '/partitions',
  Commands: '/commands',
  Workers: '/workers',
  'Dead letters': '/dead-letters',
  Events: '/events',
};

let poison: Poison;
let lendline: Target;
let library: Library;
let visitors: Visitors;
beforeAll(async () => {
  poison = await newPoison();
  lendline = await ownTarget(poison.env);
  library = new Library(lendline);
  visitors = await Visitors.open(lendline);
}, INSTALL_MS);

afterEach(() => {
  expect(visitors.complaints).toEqual([]);
});

const visit = (place: string, more: object = {}): Promise<Page> =>
  visitors.visit({ page: '/console', place, token: lendline.admin, ...more });

/** A title of which a borrow became a dead letter, and another one is parked behind it. */
async function quarantined(): Promise<number> {
  const { bookInfoId } = await library.registered({ copies: 2 });
  await poison.set({ [bookInfoId]: 'throw' });
  for (const { token } of [library.newReader(), library.newReader()])
    expect(
      (await library.call('post', '/api/borrows', { token, body: { bookInfoId } })).status,
    ).toBe(500);
  await poison.lift();
  return bookInfoId;
}

const lettersOf = (page: Page, bookInfoId: number) =>
  page.getByRole('article').filter({ hasText: `book-info:${bookInfoId}` });

it('is opened by an administrator who signs in, and by nobody else', async () => {
  const page = await visitors.visit({ page: '/console' });
  await page.getByLabel('Username').fill(ADMIN.username);
  await page.getByLabel('Password').fill(ADMIN.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Partitions' }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Username').waitFor();
  const other = await visit('/partitions', { token: library.newReader().token });
  await other.getByText('The console is for administrators.').waitFor();
  expect(await other.getByRole('heading', { name: 'Partitions' }).count()).toBe(0);
});

it('says in the first of two windows that the updates go on in the second, and leaves it there', async () => {
  const token = library.target.token({ isAdmin: true });
  const first = await visit('/partitions', { token });
  await first.getByRole('heading', { name: 'Partitions' }).waitFor();
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
  const page = await visit('/partitions');
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
    await page.getByLabel('Only partitions with commands').check();
    await page
      .getByRole('row', { name: /^lending\.commands/ })
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Commands' }).click();
    await page.getByRole('row', { name: /lending\.borrow-book .* ms .* ms/ }).waitFor();
    await page.getByRole('link', { name: 'Workers' }).click();
    await page.getByRole('row', { name: /alive/ }).first().waitFor();
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
  // What the API knows alone is written down a moment later.
  await way.getByText('unknown').first().waitFor({ state: 'detached' });
  const steps = await way.getByRole('listitem').allInnerTexts();
  expect(steps.map((step) => step.replaceAll(/\s+/g, ' ').trim())).toEqual(
    ['Received', 'Confirmed', 'Taken', 'Decided', 'Committed', 'Answered'].map((step) =>
      expect.stringMatching(new RegExp(`^${step} \\+ \\d+ ms$`)),
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
  const bookInfoId = await quarantined();
  const page = await visit('/dead-letters');
  const letters = lettersOf(page, bookInfoId);
  await letters.nth(1).waitFor();
  await letters.first().getByText('TypeError: stock is undefined').waitFor();
  await letters.first().getByText('Message').click();
  await letters.first().getByText(`"bookInfoId": ${bookInfoId}`).waitFor();
  await letters
    .first()
    .getByRole('button', { name: /^Replay/ })
    .click();
  await letters.first().waitFor({ state: 'detached' });
  await letters.first().waitFor({ state: 'detached' });
  expect(await library.detail(bookInfoId)).toMatchObject({ availableStock: 0 });
});

it('discards a dead letter, by keyboard alone, after it has asked', async () => {
  const bookInfoId = await quarantined();
  const page = await visit('/dead-letters');
  const letters = lettersOf(page, bookInfoId);
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

describe.each(SCHEMES)('in %s colours', (colorScheme) => {
  it.each(WIDTHS)(
    'no place has a serious fault, or is wider than the window of %i pixels',
    async (width) => {
      await quarantined();
      const page = await visit('/partitions', { colorScheme, viewport: { width, height: 844 } });
      const faults: string[] = [];
      for (const [name, place] of Object.entries(PLACES)) {
        await page.goto(`${lendline.url}/console#${place}`);
        await page.getByRole('heading', { name, level: 1 }).waitFor();
        if (name === 'Events') await library.registered();
        await page
          .locator(
            {
              Partitions: 'td',
              Commands: 'main li',
              Workers: 'td',
              'Dead letters': 'article',
              Events: 'main li',
            }[name] ?? 'main',
          )
          .first()
          .waitFor();
        for (const summary of (await page.locator('summary').all()).slice(0, 3))
          await summary.click();
        expect(await page.title()).toBe(`${name} · Lendline`);
        expect([name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([
          name,
          width,
        ]);
        const { violations } = await new AxeBuilder({ page }).analyze();
        const serious = violations.filter(
          ({ impact }) => impact === 'serious' || impact === 'critical',
        );
        faults.push(
          ...serious.map(
            ({ id, nodes }) =>
              `${name}: ${id} ${nodes.map(({ html }) => html.slice(0, 160)).join(' ')}`,
          ),
        );
      }
      expect(faults).toEqual([]);
    },
  );
});
