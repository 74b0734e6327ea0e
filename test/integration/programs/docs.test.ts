import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../../support/clients/browser';
import { Library } from '../../support/clients/books';
import { signsIn } from '../../support/clients/sign-in';
import { INSTALLATIONS, startService } from '../../support/service/start-service';
import { ADMIN } from '../../support/service/processes';
import type { Target } from '../../support/service/target';
import { waitUntil } from '../../support/wait';

/**
 * The page at /docs, in a browser. Other tests ask for the same over HTTP; here somebody clicks.
 */

/** How long the browser may take to be installed, milliseconds. */
const INSTALL_MS = 600_000;
/** How long the account of the administrator may take on a busy machine, milliseconds. */
const MADE_MS = 60_000;
const BORROW = '#operations-Borrows-borrow';
/** A telephone, and a desk. */
const WIDTHS = [390, 1280];

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, INSTALL_MS);

async function signIn(page: Page): Promise<void> {
  await page.fill('[name=username]', ADMIN.username);
  await page.fill('[name=password]', ADMIN.password);
  await page.click('#sign-in button');
}

/** Sends a borrow from the page; returns the status that the page then shows. */
async function tryBorrow(page: Page, body: object): Promise<string | null> {
  await page.click(`${BORROW} .opblock-summary-control`);
  await page.fill(`${BORROW} textarea`, JSON.stringify(body));
  await page.click(`${BORROW} button.execute`);
  return page.textContent(`${BORROW} .live-responses-table tbody .response-col_status`);
}

describe.each(INSTALLATIONS)('the page at /docs, %s', (name) => {
  let target: Target;
  let library: Library;
  beforeAll(async () => {
    ({ target } = await startService({ on: name, apis: 1, workers: 1 }));
    library = new Library(target);
    await waitUntil('the administrator is made', MADE_MS, () =>
      signsIn(target.url, ADMIN.username, ADMIN.password),
    );
  });

  it.each(WIDTHS)(
    'signs in and borrows a title, %i pixels wide, and asks for nothing from elsewhere',
    async (width) => {
      const { bookInfoId } = await library.registered({ copies: 1 });
      const page = await browser.newPage({ viewport: { width, height: 844 } });
      const asked: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));

      await page.goto(`${target.url}/docs`);
      await signIn(page);
      await page.getByText(`Signed in as ${ADMIN.username}`).waitFor();
      expect((await tryBorrow(page, { bookInfoId }))?.trim()).toMatch(/^201/);

      expect(
        asked.filter((url) => !url.startsWith(`${target.url}/`) && !url.startsWith('data:')),
      ).toEqual([]);
      // What the content security policy forbids would be told here.
      expect(complaints).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      await page.close();
    },
  );

  it('explains a failed sign-in, and borrows nothing', async () => {
    const page = await browser.newPage();
    await page.goto(`${target.url}/docs`);
    await page.fill('[name=username]', ADMIN.username);
    await page.fill('[name=password]', 'a wrong password');
    await page.click('#sign-in button');
    await page.getByText('There is no account with this username and password.').waitFor();
    expect((await tryBorrow(page, { bookInfoId: 1 }))?.trim()).toMatch(/^401/);
    await page.close();
  });
});
