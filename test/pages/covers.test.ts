import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { Library } from '../support/clients/books';
import { startService } from '../support/service/start-service';
import { INSTALL_MS, Visitors } from '../support/clients/visitors';
import { waitUntil } from '../support/wait';

/** Covers, where the operator allows pictures of another server. */

/** Within this time a picture has come, milliseconds. */
const PICTURE_MS = 30_000;
const PICTURE = readFileSync(join(__dirname, '../../docs/pictures/reader-narrow.png'));

let pictures: Server;
/** What was asked of the server of the pictures: path and referrer. */
const asked: (readonly [path: string, referrer: string | undefined])[] = [];
let host: string;
/** Another name of the same server, which is not allowed. */
let otherHost: string;
let library: Library;
let visitors: Visitors;
beforeAll(async () => {
  pictures = createServer(({ url = '', headers }, response) => {
    asked.push([url, headers.referer]);
    if (url === '/cover.png') response.setHeader('Content-Type', 'image/png').end(PICTURE);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => pictures.listen(0, '127.0.0.1', resolve));
  const { port } = pictures.address() as AddressInfo;
  host = `127.0.0.1:${port}`;
  otherHost = `localhost:${port}`;
  const lendline = (await startService({ env: { COVER_HOSTS: `covers.example,${host}` } })).target;
  library = new Library(lendline);
  visitors = await Visitors.open(lendline);
}, INSTALL_MS);

afterAll(() => {
  pictures.closeAllConnections();
  pictures.close();
});

// What the page asked of the allowed server is no fault.
afterEach(async () => {
  asked.length = 0;
  const complaints = await visitors.leave();
  expect(complaints.filter((complaint) => !complaint.includes(host))).toEqual([]);
});

/** A title with this picture, on its own page. */
async function shown(bookImg: string): Promise<Page> {
  const { bookInfoId, title } = await library.registered({ bookImg });
  const page = await visitors.visit({ place: `/books/${bookInfoId}` });
  await page.getByRole('heading', { name: title }).waitFor();
  return page;
}

const drawn = (page: Page) => page.locator('article svg.cover');

it('shows the picture of a title in the shape of a cover, and tells its server no address', async () => {
  const page = await shown(`http://${host}/cover.png`);
  const picture = page.locator('article img.cover');
  await picture.waitFor();
  await waitUntil('the picture', PICTURE_MS, () =>
    page.evaluate<boolean>("document.querySelector('article img.cover').naturalWidth > 0"),
  );
  const { width, height } = (await picture.boundingBox())!;
  expect(height / width).toBeCloseTo(1.5, 1);
  expect(await drawn(page).count()).toBe(0);
  expect(asked).toEqual([['/cover.png', undefined]]);
});

it('shows it in lists as well', async () => {
  const { title } = await library.registered({ bookImg: `http://${host}/cover.png` });
  const page = await visitors.visit({ place: `/books?q=${encodeURIComponent(title)}` });
  await page.getByRole('link', { name: title }).locator('img.cover').waitFor();
});

it('shows it among the books of a reader', async () => {
  const { bookInfoId, title } = await library.registered({
    bookImg: `http://${host}/cover.png`,
    copies: 1,
  });
  const reader = library.newReader();
  await library.borrowed(reader, { bookInfoId });
  const page = await visitors.visit({ token: reader.token });
  const own = page.getByRole('region', { name: 'Your books' });
  await own.getByRole('link', { name: title }).locator('img.cover').waitFor();
});

it('draws the cover when the picture does not come', async () => {
  const page = await shown(`http://${host}/missing.png`);
  await drawn(page).waitFor();
  expect(await page.locator('article img.cover').count()).toBe(0);
});

it('draws the cover of a title whose picture is at a host that is not allowed', async () => {
  const page = await shown(`http://${otherHost}/cover.png`);
  await drawn(page).waitFor();
  expect(asked).toEqual([]);
});
