import type { Page } from 'playwright-core';
import { Library, uniqueWord } from '../support/clients/books';
import { target } from '../support/service/target';
import { comeBack, INSTALL_MS, Visitors } from '../support/clients/visitors';
import { waitUntil } from '../support/wait';

/** Within this time a write has reached the service and is done, milliseconds. */
const ANSWERED_MS = 30_000;
/** How often an open page asks for something, milliseconds. */
const LOOK_AGAIN_MS = 10_000;
const HOUR_MS = 3_600_000;
/** What a title's page asks for again and again. */
const OWN_AND_TITLE = /\/api\/(?:borrow-histories|book-infos)/;

let library: Library;
let visitors: Visitors;
beforeAll(async () => {
  const lendline = await target();
  library = new Library(lendline);
  visitors = await Visitors.open(lendline);
}, INSTALL_MS);

afterEach(async () => {
  expect(await visitors.leave()).toEqual([]);
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** A new title with one copy, somebody who looks at it, and somebody else. */
async function lookedAt() {
  const book = await library.registered({ copies: 1 });
  const reader = library.newReader();
  const page = await visitors.visit({ place: `/books/${book.bookInfoId}`, token: reader.token });
  await button(page, 'Borrow').waitFor();
  return { ...book, reader, page, other: library.newReader() };
}

it('finds a title by its words, and everybody can look at it', async () => {
  const { title, author } = await library.registered({ copies: 2 });
  const page = await visitors.visit();
  await page.getByLabel('Title, author or ISBN').fill(author.toUpperCase());
  await page.getByText('1 title', { exact: true }).waitFor();
  await page.getByRole('link', { name: title }).click();
  await page.getByRole('heading', { name: title }).waitFor();
  await page.getByText('2 of 2 copies available').waitFor();
  expect(await button(page, 'Borrow').count()).toBe(0);
  // The search is still there on the way back, and after a reload.
  await page.goBack();
  await page.reload();
  await page.getByText('1 title', { exact: true }).waitFor();
  expect(await page.getByLabel('Title, author or ISBN').inputValue()).toBe(author.toUpperCase());
});

it('shows only what is available, in another order, page by page', async () => {
  const word = uniqueWord();
  for (let number = 10; number < 40; number += 1)
    await library.registered({ title: `${word} ${number}`, copies: number % 5 === 0 ? 0 : 1 });
  const page = await visitors.visit({ place: `/books?q=${word}` });
  await page.getByText('30 titles').waitFor();
  await page.getByLabel('Sort by').selectOption({ label: 'Title' });
  await page.getByRole('link', { name: `${word} 10` }).waitFor();
  await button(page, 'Next').click();
  await page.getByText('Page 2 of 2').waitFor();
  await page.getByRole('link', { name: `${word} 39` }).waitFor();
  await page.getByRole('link', { name: 'Available only 24' }).click();
  await page.getByText('24 titles').waitFor();
  await page.getByRole('link', { name: `${word} 11` }).waitFor();
  expect(await page.getByRole('link', { name: `${word} 10` }).count()).toBe(0);
});

it('borrows, renews and returns, and remembers', async () => {
  const { page, reader, title } = await lookedAt();
  await button(page, 'Borrow').click();
  await page.getByText(/^Due /).waitFor();
  await page.getByText('All copies on loan').waitFor();
  const [before] = (await library.histories(reader)).body.items;
  expect(before.renewalCount).toBe(0);
  await button(page, 'Renew').click();
  await waitUntil('a renewal', ANSWERED_MS, async () => {
    const [after] = (await library.histories(reader)).body.items;
    return after.renewalCount === 1;
  });

  await page.getByRole('link', { name: 'My library' }).first().click();
  await button(page, `Return: ${title}`).click();
  await page.getByText('Returned.').waitFor();
  await page.reload();
  await page.getByText(/No borrowed books/).waitFor();
  await page.getByRole('region', { name: 'History' }).getByRole('link', { name: title }).waitFor();
});

it('turns Borrow into Hold when somebody else takes the last copy while the page is open, and sets the copy aside when it is back', async () => {
  const { bookInfoId, page, other } = await lookedAt();
  await library.borrowed(other, { bookInfoId });
  await comeBack(page);
  await button(page, 'Place hold').click();
  await page.getByText('You are number 1 in line.').waitFor();
  await library.returned(other, { bookInfoId });
  await comeBack(page);
  await page.getByText(/^A copy is set aside for you until/).waitFor();
  await button(page, 'Borrow your copy').click();
  await page.getByText(/^Due /).waitFor();
});

it('says why a borrow was refused that came too late, and offers a hold instead', async () => {
  const { bookInfoId, page, other } = await lookedAt();
  // The page goes on seeing the copy that is gone until it has tried.
  const old = await (
    await page.request.get(`${new URL(page.url()).origin}/api/book-infos/${bookInfoId}`)
  ).body();
  await page.route(`**/api/book-infos/${bookInfoId}`, (route) =>
    route.fulfill({ status: 200, contentType: 'application/json', body: old }),
  );
  await library.borrowed(other, { bookInfoId });
  const answer = page.waitForResponse('**/api/borrows');
  await button(page, 'Borrow').click();
  const alert = page.getByRole('alert');
  await alert.getByText('No copy is available').waitFor();
  const problem = await (await answer).json();
  expect(problem.code).toBe('OUT_OF_STOCK');
  expect(await alert.textContent()).not.toContain(problem.requestId);
  await page.unroute(`**/api/book-infos/${bookInfoId}`);
  await comeBack(page);
  await button(page, 'Place hold').waitFor();
});

it('leaves the line', async () => {
  const { bookInfoId, title } = await library.registered({ copies: 0 });
  const reader = library.newReader();
  await library.placeHold(reader, bookInfoId);
  const page = await visitors.visit({ place: '/library', token: reader.token });
  await button(page, `Cancel hold: ${title}`).click();
  await page.getByText('Hold cancelled.').waitFor();
});

it('borrows once when the answer is lost, and sends the same again by itself', async () => {
  const { page, reader } = await lookedAt();
  const keys: (string | undefined)[] = [];
  await page.route('**/api/borrows', async (route) => {
    keys.push(route.request().headers()['idempotency-key']);
    if (keys.length > 1) return route.continue();
    await route.fetch();
    return route.abort('connectionreset');
  });
  await button(page, 'Borrow').click();
  await waitUntil('the second try', ANSWERED_MS, () => keys.length === 2);
  await page.getByText(/^Due /).waitFor();
  expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), keys[0]]);
  expect(await page.getByRole('alert').count()).toBe(0);
  expect((await library.histories(reader)).body.totalItems).toBe(1);
});

it('says that the service cannot be reached, and sends the very same again when asked to', async () => {
  const { page, reader } = await lookedAt();
  const keys = new Set<string | undefined>();
  await page.route('**/api/borrows', async (route) => {
    keys.add(route.request().headers()['idempotency-key']);
    await route.abort('connectionrefused');
  });
  await button(page, 'Borrow').click();
  await page.getByText('The service could not be reached.').waitFor();
  await page.unroute('**/api/borrows');
  const sent = page.waitForRequest('**/api/borrows');
  await button(page, 'Try again').click();
  keys.add((await sent).headers()['idempotency-key']);
  await page.getByText(/^Due /).waitFor();
  expect(keys.size).toBe(1);
  expect((await library.histories(reader)).body.totalItems).toBe(1);
});

it('returns one book by a double click, whose row stays in place, and takes that back', async () => {
  const reader = library.newReader();
  const titles = [];
  for (const copies of [1, 1]) {
    const { bookInfoId, title } = await library.registered({ copies });
    await library.borrowed(reader, { bookInfoId });
    titles.push(title);
  }
  const page = await visitors.visit({ place: '/library', token: reader.token });
  const borrowed = page.getByRole('region', { name: 'Borrowed' });
  const [first] = titles;
  await button(page, `Return: ${first}`).waitFor();
  const before = await borrowed.locator('.title').allTextContents();
  await button(page, `Return: ${first}`).dblclick();
  await borrowed.getByText('Returned.').waitFor();
  expect(await borrowed.locator('.title').allTextContents()).toEqual(before);
  expect((await library.histories(reader, '?returned=false')).body.totalItems).toBe(1);
  await button(page, `Borrow again: ${first}`).click();
  await button(page, `Return: ${first}`).waitFor();
  expect((await library.histories(reader, '?returned=false')).body.totalItems).toBe(2);
});

it('borrows by a double click without returning, and takes what is borrowed already as done', async () => {
  const { page, reader, bookInfoId } = await lookedAt();
  await button(page, 'Borrow').dblclick();
  await page.getByText(/^Due /).waitFor();
  expect((await library.histories(reader)).body.items).toMatchObject([{ status: 'BORROWED' }]);
  const other = await lookedAt();
  // It was borrowed in another window meanwhile, which this one has not heard of.
  await other.page.route(OWN_AND_TITLE, (route) => route.abort('connectionrefused'));
  await library.borrowed(other.reader, { bookInfoId: other.bookInfoId });
  const answer = other.page.waitForResponse('**/api/borrows');
  await button(other.page, 'Borrow').click();
  expect((await answer).status()).toBe(409);
  await other.page.unroute(OWN_AND_TITLE);
  await comeBack(other.page);
  await other.page.getByText(/^Due /).waitFor();
  expect(await other.page.getByText('You have borrowed this title already').count()).toBe(0);
  expect(bookInfoId).not.toBe(other.bookInfoId);
});

it('shows what happened to own books elsewhere while the page is open', async () => {
  const { page, reader, bookInfoId } = await lookedAt();
  await library.borrowed(reader, { bookInfoId });
  await comeBack(page);
  await page.getByText(/^Due /).waitFor();
  await library.returned(reader, { bookInfoId });
  await comeBack(page);
  await button(page, 'Borrow').waitFor();
});

it('asks for one thing in ten seconds while it is open, and sees by it what has changed', async () => {
  const { bookInfoId } = await library.registered({ copies: 1 });
  const reader = library.newReader();
  const page = await visitors.visit(
    { place: `/books/${bookInfoId}`, token: reader.token },
    ({ clock }) => clock.install(),
  );
  await button(page, 'Borrow').waitFor();
  await page.waitForLoadState('networkidle');
  await page.clock.pauseAt(Date.now() + HOUR_MS);
  await page.waitForLoadState('networkidle');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const lookAgain = async () => {
    const answer = page.waitForResponse('**/api/**');
    await page.clock.runFor(LOOK_AGAIN_MS);
    await (await answer).finished();
  };
  for (let count = 0; count < 6; count += 1) await lookAgain();
  expect(asked).toHaveLength(6);
  expect(new Set(asked)).toEqual(new Set([`/api/book-infos/${bookInfoId}`, '/api/users/me']));
  await library.borrowed(reader, { bookInfoId });
  for (let count = 0; count < 2; count += 1) await lookAgain();
  await page.clock.resume();
  await page.getByText(/^Due /).waitFor();
});

it('has an address for every title, a year for a year, and other titles by the author', async () => {
  const author = `Author ${uniqueWord()}`;
  const { bookInfoId, title } = await library.registered({
    author,
    publicationDate: '1954-01-01',
    copies: 1,
  });
  const other = await library.registered({ author, copies: 0 });
  const page = await visitors.visit({ place: `/books/${bookInfoId}` });
  await page.getByRole('heading', { name: title }).waitFor();
  await page.getByText('1954', { exact: true }).waitFor();
  await page.getByRole('link', { name: other.title }).click();
  await page.getByRole('heading', { name: other.title }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/books/${other.bookInfoId}`);
  expect(await page.title()).toBe(`${other.title} · Lendline`);
  await page.goBack();
  await page.getByRole('heading', { name: title }).waitFor();
});

it('says during an outage that what was loaded is shown', async () => {
  const { page } = await lookedAt();
  await page.route('**/api/**', (route) => route.abort('connectionrefused'));
  await comeBack(page);
  await page.getByText('You see what was loaded before.').first().waitFor();
  expect(await page.getByText('never made twice').count()).toBe(0);
});

it('lists a write whose answer does not come, and goes on', async () => {
  const { page } = await lookedAt();
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/api/borrows', (route) => held.then(() => route.continue()));
  await button(page, 'Borrow').click();
  await page.getByText('Sending your change.').waitFor();
  answer();
  await page.getByText(/^Due /).waitFor();
  await page.getByText('Sending your change.').waitFor({ state: 'hidden' });
});

it('searches from every place while somebody types, the best match first', async () => {
  const word = uniqueWord();
  await library.registered({ title: `A book of ${word}`, copies: 1 });
  await library.registered({ title: word, copies: 1 });
  const page = await visitors.visit({ place: '/board' });
  await page.getByLabel('Title, author or ISBN').pressSequentially(word);
  await page.waitForURL((url) => url.searchParams.get('q') === word);
  await page.getByText('2 titles').waitFor();
  const found = (place: string, title: string) =>
    page.locator(`.shelf li:${place} .title`).filter({ hasText: new RegExp(`^${title}$`) });
  await found('first-child', word).waitFor();
  await found('last-child', `A book of ${word}`).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Posts', exact: true }).waitFor();
});

it('stays where a link leads right after somebody has typed', async () => {
  const page = await visitors.visit({ place: '/books' });
  await page.getByLabel('Title, author or ISBN').fill(uniqueWord());
  await page.getByRole('link', { name: 'Posts', exact: true }).click();
  await page.getByRole('heading', { name: 'Posts', exact: true }).waitFor();
  // Longer than the pause after which is searched.
  await page.waitForTimeout(500);
  expect(new URL(page.url()).pathname).toBe('/board');
});

it('does not search by the Enter that ends a composition of letters', async () => {
  const page = await visitors.visit({ place: '/board' });
  const isHeld = (isComposing: boolean) =>
    page.evaluate<boolean>(
      `!document.querySelector('[name=q]').dispatchEvent(new KeyboardEvent('keydown',
         { key: 'Enter', isComposing: ${isComposing}, bubbles: true, cancelable: true }))`,
    );
  await page.getByLabel('Title, author or ISBN').waitFor();
  expect([await isHeld(true), await isHeld(false)]).toEqual([true, false]);
});

it('counts notices, and marks them as read', async () => {
  const { bookInfoId, title } = await library.registered({ copies: 1 });
  const [reader, other] = [library.newReader(), library.newReader()];
  await library.borrowed(other, { bookInfoId });
  await library.placeHold(reader, bookInfoId);
  await library.returned(other, { bookInfoId });
  const page = await visitors.visit({ place: '/notices', token: reader.token });
  await page.getByRole('link', { name: 'Notices 1 unread' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: title }).waitFor();
  await page.getByText(/^A copy is set aside for you until/).waitFor();
  await button(page, 'Mark all as read').click();
  await page.getByRole('link', { name: 'Notices', exact: true }).waitFor();
});
