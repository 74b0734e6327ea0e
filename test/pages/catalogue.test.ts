import type { Page } from 'playwright-core';
import { Library, newIsbn13, uniqueWord } from '../support/books';
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

const found = async (title: string) =>
  (await library.call('get', `/api/book-infos?title=${encodeURIComponent(title)}`)).body.items;

async function importFile(page: Page, text: string): Promise<void> {
  await page
    .getByLabel('File')
    .setInputFiles({ name: 'books.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  await page.getByRole('button', { name: 'Import' }).click();
}

it('registers a title with its copies, and says what is wrong with one that cannot be', async () => {
  const page = await visitors.visit({ place: '/admin', token: library.target.admin });
  const form = page.getByRole('form', { name: 'Add title' });
  const title = `Title ${uniqueWord()}`;
  await form.getByLabel('Title').fill(title);
  await form.getByLabel('Author').fill('Somebody');
  await form.getByLabel('ISBN').fill('12');
  await form.getByLabel('Copies').fill('3');
  await form.getByRole('button').click();
  await form
    .getByRole('alert')
    .getByText(/^Request /)
    .waitFor();
  expect(await form.getByLabel('ISBN').getAttribute('aria-invalid')).toBe('true');
  await form.getByLabel('ISBN').fill(newIsbn13());
  await form.getByRole('button').click();
  await form.getByRole('link', { name: `Added: ${title}` }).click();
  await page.getByText('3 of 3 copies available').waitFor();
});

it('changes a title and adds copies; what others change meanwhile stays', async () => {
  const { bookInfoId } = await library.registered({ copies: 1 });
  const page = await visitors.visit({ place: `/books/${bookInfoId}`, token: library.target.admin });
  await page.getByText('Add copies').click();
  await page.getByLabel('Number of copies').fill('2');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('Added 2 copies.').waitFor();
  await page.getByText('3 of 3 copies available').waitFor();
  const sent = page.waitForRequest((request) => request.method() === 'PATCH');
  const title = `Title ${uniqueWord()}`;
  await page.getByText('Edit title').click();
  const form = page.getByRole('form', { name: 'Edit title' });
  await form.getByLabel('Title').fill(title);
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: title }).waitFor();
  expect((await sent).postDataJSON()).toEqual({ title });
});

it('imports a CSV file, and says which rows were refused and why', async () => {
  const page = await visitors.visit({ place: '/admin', token: library.target.admin });
  const [one, two, three, isbn] = [uniqueWord(), uniqueWord(), uniqueWord(), newIsbn13()];
  const rows = [
    `Title,author,ISBN,copies`,
    `"${one}, or\nthe first",A,${isbn},2`,
    `${two},B,,many`,
    `${three},,,`,
    `${one} again,A,${isbn},1`,
  ];
  await importFile(page, `\uFEFF${rows.join('\r\n')}\r\n`);
  await page.getByText('4 of 4 rows: 1 added, 1 known already, 2 refused').waitFor();
  await page.getByRole('row', { name: '4 copies must be a whole number' }).waitFor();
  await page.getByRole('row', { name: /^5 .*author/ }).waitFor();
  expect(await found(one)).toEqual([
    expect.objectContaining({ title: `${one}, or the first`, totalStock: 2 }),
  ]);
  expect(await found(two)).toEqual([]);
});

it('says that a file is none that it can read', async () => {
  const page = await visitors.visit({ place: '/admin', token: library.target.admin });
  await importFile(page, 'name,author\nEmma,Jane Austen\n');
  await page.getByRole('alert').getByText('The first line has no column title.').waitFor();
});

it('sends a reader who is not an administrator to the books', async () => {
  const page = await visitors.visit({ place: '/admin', token: library.newReader().token });
  await page.getByRole('heading', { name: 'Books' }).waitFor();
});
