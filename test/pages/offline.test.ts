import type { Page } from 'playwright-core';
import { ALL_PLACES_MS, placeFaults } from '../support/check/place-faults';
import { Library } from '../support/clients/books';
import type { Reader } from '../support/clients/requests';
import { target, type Target } from '../support/service/target';
import { INSTALL_MS, Visitors } from '../support/clients/visitors';
import { waitUntil } from '../support/wait';

/** Reading without a connection what was seen before. */

let lendline: Target;
let library: Library;
let visitors: Visitors;
beforeAll(async () => {
  lendline = await target();
  library = new Library(lendline);
  visitors = await Visitors.open(lendline);
}, INSTALL_MS);

// What the browser says of requests without a connection is no fault.
afterEach(async () => {
  const complaints = await visitors.leave();
  expect(complaints.filter((complaint) => !LOST.test(complaint))).toEqual([]);
});

const LOST = /net::ERR_(?:FAILED|INTERNET_DISCONNECTED)/;
/** Within this time the worker has come, or has done what it was told, milliseconds. */
const WORKER_MS = 30_000;
const OF_SESSION = /^lendline\.seen\.[\da-f]{64}$/;
const OFFLINE = 'You are offline';
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const marked = (page: Page) => page.locator('main .notice').getByText(OFFLINE);

/** Everything that the browser keeps in the caches of its worker, as text. */
const KEPT = `(async () => {
  const kept = [];
  for (const name of await caches.keys())
    for (const request of await (await caches.open(name)).keys())
      kept.push([name, request.url, await (await caches.match(request.url, { cacheName: name })).text()]);
  return kept;
})()`;
const keptOf = (page: Page) =>
  page.evaluate<(readonly [name: string, url: string, content: string])[]>(KEPT);

/** A reader whose window keeps what it shows, with a loan and a title that nobody has. */
async function reading(): Promise<{
  page: Page;
  reader: Reader;
  title: string;
  there: { bookInfoId: number; title: string };
}> {
  const [borrowed, there] = [
    await library.registered({ copies: 1 }),
    await library.registered({ copies: 1 }),
  ];
  const reader = library.newReader();
  await library.borrowed(reader, { bookInfoId: borrowed.bookInfoId });
  const page = await visitors.visit({ token: reader.token, serviceWorkers: 'allow' });
  await waitUntil('the worker', WORKER_MS, () =>
    page.evaluate<boolean>('navigator.serviceWorker.controller !== null'),
  );
  await page.goto(`${lendline.url}/library`);
  await page.getByRole('button', { name: `Return: ${borrowed.title}` }).waitFor();
  await page.goto(`${lendline.url}/books/${there.bookInfoId}`);
  await page.getByRole('button', { name: 'Borrow', exact: true }).waitFor();
  await page.waitForLoadState('networkidle');
  return { page, reader, title: borrowed.title, there };
}

it('shows what was seen when it is loaded anew without a connection, and says so', async () => {
  const { page, title, there } = await reading();
  expect(await marked(page).count()).toBe(0);
  await page.context().setOffline(true);
  await page.reload();
  await heading(page, there.title).waitFor();
  await marked(page).waitFor();
  expect(await page.locator('main .notice').textContent()).toMatch(/loaded before, on .+\./);
  await page.getByRole('link', { name: 'My library' }).first().click();
  await page.getByRole('button', { name: `Return: ${title}` }).waitFor();
  // Of what was not seen there is no data, or not even code, and the page says so.
  const unseen = await library.registered();
  await page.goto(`${lendline.url}/books/${unseen.bookInfoId}`);
  await page.getByRole('alert').getByText('cannot be reached').waitFor();
  await page.getByRole('link', { name: 'Notices' }).click();
  await page.getByRole('alert').getByText('could not be reached').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Try again' }).click();
  await heading(page, 'Notices').waitFor();
  await marked(page).waitFor({ state: 'detached' });
});

it(
  'no place has a fault without a connection',
  async () => {
    const { page, there } = await reading();
    await page.context().setOffline(true);
    await page.reload();
    await heading(page, there.title).waitFor();
    await marked(page).waitFor();
    const faults = await placeFaults(page, there.title);
    await page.getByRole('button', { name: 'Borrow', exact: true }).click();
    await page.getByRole('alert').getByText('Nothing was sent').waitFor();
    faults.push(...(await placeFaults(page, there.title)));
    await page.getByRole('link', { name: 'My library' }).first().click();
    await heading(page, 'My library').waitFor();
    faults.push(...(await placeFaults(page, 'My library')));
    expect(faults).toEqual([]);
  },
  ALL_PLACES_MS,
);

it('refuses a write without a connection, and sends nothing later', async () => {
  const { page, reader, there } = await reading();
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Borrow', exact: true }).click();
  await page.getByRole('alert').getByText('Nothing was sent').waitFor();
  await marked(page).waitFor();
  await page.context().setOffline(false);
  await marked(page).waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('button', { name: 'Borrow', exact: true }).waitFor();
  const titles = (await library.histories(reader)).body.items.map(
    ({ title }: { title: string }) => title,
  );
  expect(titles).not.toContain(there.title);
  await page.getByRole('button', { name: 'Borrow', exact: true }).click();
  await page.getByText(/^Due /).waitFor();
});

it('keeps what a reader saw so that nobody else can read it, until the reader signs out, also offline', async () => {
  const { page, title, there } = await reading();
  const kept = await keptOf(page);
  const sessions = kept.filter(([name]) => OF_SESSION.test(name));
  expect(sessions.map(([, url]) => new URL(url).pathname)).toContain('/api/borrow-histories');
  const readable = kept.filter(([, , content]) => content.includes(title));
  expect(readable).toEqual([]);
  expect(JSON.stringify(kept)).not.toContain(there.title);
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('link', { name: 'Sign in', exact: true }).waitFor();
  await waitUntil('nothing of the session is kept', WORKER_MS, async () =>
    (await keptOf(page)).every(([name]) => !OF_SESSION.test(name)),
  );
});

it('shows what was seen while there is a connection and no service, and the newest when it is back', async () => {
  const { page, there } = await reading();
  const context = page.context();
  await context.route('**/*', (route) => route.abort('connectionrefused'));
  await page.reload();
  await heading(page, there.title).waitFor();
  await page.locator('main .notice').getByText('No connection').waitFor();
  const other = library.newReader();
  await library.borrowed(other, { bookInfoId: there.bookInfoId });
  await context.unroute('**/*');
  await page.getByText('All copies on loan').waitFor();
  await page.locator('main .notice').waitFor({ state: 'detached' });
});
