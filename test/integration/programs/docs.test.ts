import type { Browser, Page } from 'playwright-core';
import { sampleOf } from '../../support/run/amount';
import { openBrowser } from '../../support/clients/browser';
import { Library } from '../../support/clients/books';
import { administratorMade } from '../../support/clients/sign-in';
import { INSTALLATIONS, startService } from '../../support/service/start-service';
import { ADMIN } from '../../support/service/processes';
import type { Target } from '../../support/service/target';

/**
 * The page at /docs, in a browser. Other tests ask for the same over HTTP; here somebody clicks.
 */

/** How long the browser may take to be installed, milliseconds. */
const INSTALL_MS = 600_000;
const BORROW = '#operations-Borrows-borrow';
/** A telephone, and a desk. */
const WIDTHS = [390, 1280];
/** What a browser says of an answer. */
const UNAUTHORIZED =
  'Failed to load resource: the server responded with a status of 401 (Unauthorized)';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, INSTALL_MS);

async function signIn(page: Page, password: string): Promise<void> {
  await page.fill('[name=username]', ADMIN.username);
  await page.fill('[name=password]', password);
  await page.click('#sign-in button');
}

/** Sends a borrow from the page; returns the status that the page then shows. */
async function tryBorrow(page: Page, body: object): Promise<string | undefined> {
  await page.fill(`${BORROW} textarea`, JSON.stringify(body));
  await page.click(`${BORROW} button.execute`);
  const status = page.locator(`${BORROW} .live-responses-table tbody .response-col_status`);
  const shown = await status.textContent();
  await page.click(`${BORROW} button.btn-clear`);
  await status.waitFor({ state: 'detached' });
  return shown?.trim();
}

describe.each(sampleOf(INSTALLATIONS, 'embedded'))('the page at /docs, %s', (name) => {
  let target: Target;
  let library: Library;
  beforeAll(async () => {
    ({ target } = await startService({ on: name }));
    library = new Library(target);
    await administratorMade(target.url);
  });

  it('explains a failed sign-in, then signs in and borrows titles, and asks for nothing from elsewhere', async () => {
    const page = await browser.newPage();
    const asked: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));

    await page.goto(`${target.url}/docs`);
    await signIn(page, 'a wrong password');
    await page.getByText('There is no account with this username and password.').waitFor();
    await page.click('#operations-tag-Borrows');
    await page.click(`${BORROW} .opblock-summary-control`);
    expect(await tryBorrow(page, { bookInfoId: 1 })).toMatch(/^401/);
    expect(complaints.splice(0)).toEqual([UNAUTHORIZED, UNAUTHORIZED]);

    await signIn(page, ADMIN.password);
    await page.getByText(`Signed in as ${ADMIN.username}`).waitFor();
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 844 });
      const { bookInfoId } = await library.registered({ copies: 1 });
      expect(await tryBorrow(page, { bookInfoId })).toMatch(/^201/);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    }

    expect(
      asked.filter((url) => !url.startsWith(`${target.url}/`) && !url.startsWith('data:')),
    ).toEqual([]);
    // What the content security policy forbids would be told here.
    expect(complaints).toEqual([]);
    await page.close();
  });
});
