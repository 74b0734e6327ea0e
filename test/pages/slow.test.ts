import type { Page } from 'playwright-core';
import { Library, newIsbn13, uniqueWord } from '../support/clients/books';
import { newSecret, startServers } from '../support/service/processes';
import { exportedSecret, target, targetAt, type Target } from '../support/service/target';
import { INSTALL_MS, Visitors } from '../support/clients/visitors';

/** What a page shows of a command that takes longer than it waits. */

/** Makes commands slow for a page, until they are let go. */
interface Slowness {
  readonly target: Target;
  begin(page: Page): Promise<void>;
  end(page: Page): Promise<void>;
}

/** The worker stands still. */
async function frozenWorker(): Promise<Slowness> {
  const { apis, workers } = await startServers({ env: { JWT_SECRET: exportedSecret(newSecret) } });
  const child = workers[0]!.child;
  return {
    target: targetAt(
      'servers',
      apis.map(({ url }) => url),
    ),
    begin: () => {
      child.freeze();
      return Promise.resolve();
    },
    end: () => {
      child.thaw();
      return Promise.resolve();
    },
  };
}

/**
 * One process is API and worker, and answers at once: the page is made to ask for the promise, and
 * hears of nothing for a while.
 */
async function unheardAnswers(): Promise<Slowness> {
  const commands = '**/api/commands/*';
  return {
    target: await target(),
    async begin(page) {
      await page.route(/\/api\/(?:borrows|book-infos\?onDuplicate)/, (route) =>
        route.continue({ headers: { ...route.request().headers(), prefer: 'respond-async' } }),
      );
      await page.route(commands, (route) => route.abort('connectionrefused'));
    },
    end: (page) => page.unroute(commands),
  };
}

let slowness: Slowness;
let library: Library;
let visitors: Visitors;
beforeAll(async () => {
  slowness =
    globalThis.contractTarget === 'servers' ? await frozenWorker() : await unheardAnswers();
  library = new Library(slowness.target);
  visitors = await Visitors.open(slowness.target);
}, INSTALL_MS);

afterEach(async () => {
  expect(await visitors.leave()).toEqual([]);
});

it('shows that a command is under way, also after a reload, and its result when it comes', async () => {
  const { bookInfoId } = await library.registered({ copies: 1 });
  const reader = library.newReader();
  const page = await visitors.visit({ place: `/books/${bookInfoId}`, token: reader.token });
  const underWay = page.getByRole('status', { name: 'In progress' });
  await page.getByRole('button', { name: 'Borrow' }).waitFor();
  await slowness.begin(page);
  await page.getByRole('button', { name: 'Borrow' }).click();
  await underWay.getByText('in progress').waitFor();
  await page.reload();
  await underWay.getByText('in progress').waitFor();

  await slowness.end(page);
  await underWay.getByText('Borrow: done').waitFor();
  // What it has changed shows without a reload.
  await page.getByText(/^Due /).waitFor();
  expect((await library.histories(reader)).body.totalItems).toBe(1);
  await underWay.getByRole('button', { name: 'Dismiss' }).click();
  await underWay.getByRole('listitem').waitFor({ state: 'detached' });
  await page.reload();
  await page.getByText(/^Due /).waitFor();
  expect(await underWay.getByRole('listitem').count()).toBe(0);
});

it('shows why a command was refused that was promised', async () => {
  const { bookInfoId } = await library.registered({ copies: 1 });
  const page = await visitors.visit({
    place: `/books/${bookInfoId}`,
    token: library.newReader().token,
  });
  await page.getByRole('button', { name: 'Borrow' }).waitFor();
  // The page goes on seeing the copy that is gone.
  await page.route(`**/api/book-infos/${bookInfoId}`, (route) => route.abort('connectionrefused'));
  await library.borrowed(library.newReader(), { bookInfoId });
  await slowness.begin(page);
  await page.getByRole('button', { name: 'Borrow' }).click();
  const underWay = page.getByRole('status', { name: 'In progress' });
  await underWay.getByText('in progress').waitFor();
  await slowness.end(page);
  await underWay.getByText('Borrow: refused').waitFor();
  await underWay.getByText(/No copy is available/).waitFor();
});

it('says what was made by a promised command when it has ended, and keeps the form until then', async () => {
  const page = await visitors.visit({ place: '/admin', token: slowness.target.admin });
  const form = page.getByRole('form', { name: 'Add title' });
  const title = `Title ${uniqueWord()}`;
  await form.getByLabel('Title').fill(title);
  await form.getByLabel('Author').fill('Somebody');
  await form.getByLabel('ISBN').fill(newIsbn13());
  await slowness.begin(page);
  await form.getByRole('button').click();
  const underWay = page.getByRole('status', { name: 'In progress' });
  await underWay.getByText('in progress').waitFor();
  expect(await form.getByLabel('Title').inputValue()).toBe(title);
  await slowness.end(page);
  await form.getByRole('link', { name: `Added: ${title}` }).waitFor();
  await page.waitForFunction("document.querySelector('input[name=title]').value === ''");
});
