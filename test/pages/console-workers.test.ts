import type { Page } from 'playwright-core';
import { Library } from '../support/clients/books';
import { INSTALL_MS, Visitors } from '../support/clients/visitors';
import { startService } from '../support/service/start-service';
import type { Target } from '../support/service/target';
import { waitUntil } from '../support/wait';

/** What an administrator does with workers and partitions on the console. */

/** The former queues stay for 15 s, and the machine may be busy, milliseconds. */
const CHANGED_MS = 120_000;

let lendline: Target;
let library: Library;
let visitors: Visitors;
beforeAll(async () => {
  lendline = (await startService({ workers: 2 })).target;
  library = new Library(lendline);
  visitors = await Visitors.open(lendline);
}, INSTALL_MS);

afterEach(async () => {
  expect(await visitors.leave()).toEqual([]);
});

const visit = (place: string): Promise<Page> =>
  visitors.visit({ page: '/console', place, token: lendline.admin });
const onServers = (): boolean => lendline.name === 'servers';
/** Presses a button that asks, and confirms. */
async function confirmed(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('The audit records who did it.').waitFor();
  await dialog.getByRole('button', { name, exact: true }).click();
}

it('drains a worker after it has asked, and lets it take work again, also after a reload', async () => {
  for (let count = 0; count < 8; count += 1) await library.registered();
  const page = await visit('/workers');
  await page
    .getByRole('row', { name: /serving/ })
    .first()
    .waitFor();
  const names = page.getByRole('rowheader').getByRole('link');
  if (!onServers()) {
    await names.first().click();
    await page.getByRole('region', { name: 'Owned partitions' }).waitFor();
    expect(await page.getByRole('button', { name: 'Drain' }).count()).toBe(0);
    return;
  }
  await waitUntil('both workers', CHANGED_MS, async () => (await names.count()) === 2);
  await names.first().click();
  await confirmed(page, 'Drain');
  await page.getByText('drained', { exact: true }).waitFor();
  await page.reload();
  await page.getByText('drained', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'All workers' }).click();
  await page.getByRole('row', { name: /drained/ }).waitFor();
  await page
    .getByRole('row', { name: /serving/ })
    .getByRole('link')
    .click();
  await confirmed(page, 'Drain');
  await page
    .getByRole('alert')
    .getByText(/is the only one that serves all partitions/)
    .waitFor();
  await page.goBack();
  await page
    .getByRole('row', { name: /drained/ })
    .getByRole('link')
    .click();
  await confirmed(page, 'Take work again');
  await page.getByText('serving', { exact: true }).waitFor();
});

it(
  'resizes the partitions after it has said what will happen, and shows how far it has come',
  async () => {
    const page = await visit('/partitions');
    await page.getByRole('row').nth(1).waitFor();
    const section = page.getByRole('region', { name: 'Number of partitions' });
    if (!onServers()) {
      expect(await section.count()).toBe(0);
      return;
    }
    await section.getByText('Each service has 16 partitions.').waitFor();
    await section.locator('summary').click();
    await page.getByLabel('Partitions of each service').fill('16');
    expect(await page.getByRole('button', { name: 'Resize' }).isDisabled()).toBe(true);
    await page.getByLabel('Partitions of each service').fill('2');
    await page.getByRole('button', { name: 'Resize' }).click();
    await page
      .getByRole('dialog')
      .getByText(/set it to 2:/)
      .waitFor();
    await page.keyboard.press('Escape');
    await confirmed(page, 'Resize');
    await section.getByText(/^(Changing from 16|Each service has 2 partitions now)/).waitFor();
    await page.reload();
    await section.getByText('Each service has 2 partitions.').waitFor({ timeout: CHANGED_MS });
    expect(await page.getByRole('row').count()).toBe(1 + 4 * 2);
  },
  CHANGED_MS + 60_000,
);
