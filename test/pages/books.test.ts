import type { Page } from 'playwright-core';
import { Library, uniqueWord } from '../support/books';
import { target } from '../support/target';
import { INSTALL_MS, Visitors } from '../support/visitors';

let library: Library;
let visitors: Visitors;
beforeAll(async () => {
  const lendline = await target();
  library = new Library(lendline);
  visitors = await Visitors.open(lendline);
}, INSTALL_MS);

afterEach(() => {
  expect(visitors.complaints).toEqual([]);
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
  await button(page, 'Search').click();
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
  for (let number = 10; number < 25; number += 1)
    await library.registered({ title: `${word} ${number}`, copies: number % 5 === 0 ? 0 : 1 });
  const page = await visitors.visit({ place: `/find/q=${word}` });
  await page.getByText('15 titles').waitFor();
  await page.getByLabel('Sort by').selectOption({ label: 'Title' });
  await page.getByRole('link', { name: `${word} 10` }).waitFor();
  await button(page, 'Next').click();
  await page.getByText('Page 2 of 2').waitFor();
  await page.getByRole('link', { name: `${word} 24` }).waitFor();
  await page.getByLabel('Available only').check();
  await page.getByText('12 titles').waitFor();
  await page.getByRole('link', { name: `${word} 11` }).waitFor();
  expect(await page.getByRole('link', { name: `${word} 10` }).count()).toBe(0);
});

it('borrows, renews and returns, and remembers', async () => {
  const { page, reader, title } = await lookedAt();
  await button(page, 'Borrow').click();
  await page.getByText(/^Due /).waitFor();
  await page.getByText('All copies on loan').waitFor();
  const [before] = (await library.histories(reader)).body.items;
  await button(page, 'Renew').click();
  await button(page, 'Renew').and(page.locator('[aria-busy=false]')).waitFor();
  const [after] = (await library.histories(reader)).body.items;
  expect([before.renewalCount, after.renewalCount]).toEqual([0, 1]);

  await page.getByRole('link', { name: 'My books' }).click();
  await button(page, `Return: ${title}`).click();
  await page.getByText(/No borrowed books/).waitFor();
  await page.getByRole('region', { name: 'History' }).getByRole('link', { name: title }).waitFor();
});

it('turns Borrow into Hold when somebody else takes the last copy while the page is open, and sets the copy aside when it is back', async () => {
  const { bookInfoId, page, other } = await lookedAt();
  await library.borrowed(other, { bookInfoId });
  await button(page, 'Place hold').click();
  await page.getByText('You are number 1 in line.').waitFor();
  await library.returned(other, { bookInfoId });
  await page.getByText(/^A copy is set aside for you until/).waitFor();
  await button(page, 'Borrow your copy').click();
  await page.getByText(/^Due /).waitFor();
});

it('says why a borrow was refused that came too late, and offers a hold instead', async () => {
  const { bookInfoId, page, other } = await lookedAt();
  // The page goes on seeing the copy that is gone until it has tried.
  const old = await (
    await page.request.get(`${page.url().split('/#')[0]}/api/book-infos/${bookInfoId}`)
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
  expect(await alert.textContent()).toContain(problem.detail);
  expect(await alert.textContent()).toContain(problem.requestId);
  await page.unroute(`**/api/book-infos/${bookInfoId}`);
  await button(page, 'Place hold').waitFor();
});

it('leaves the line', async () => {
  const { bookInfoId, title } = await library.registered({ copies: 0 });
  const reader = library.newReader();
  await library.placeHold(reader, bookInfoId);
  const page = await visitors.visit({ place: '/mine', token: reader.token });
  await button(page, `Cancel hold: ${title}`).click();
  await page.getByText('No holds.').waitFor();
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
