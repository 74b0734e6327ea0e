import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { Library, newIsbn13, uniqueWord } from '../support/clients/books';
import { target } from '../support/service/target';
import { INSTALL_MS, Visitors } from '../support/clients/visitors';

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

const found = async (title: string) =>
  (await library.call('get', `/api/book-infos?title=${encodeURIComponent(title)}`)).body.items;

async function importFile(page: Page, text: string | Buffer): Promise<void> {
  await page.getByLabel('File').setInputFiles({
    name: 'books.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(text as string),
  });
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

it('notices a file in EUC-KR, asks whether it was read rightly, and gives a title one copy where there is no column', async () => {
  const page = await visitors.visit({ place: '/admin', token: library.target.admin });
  const word = uniqueWord();
  // 한국 in EUC-KR.
  const korean = Buffer.from([0xc7, 0xd1, 0xb1, 0xb9]);
  const file = Buffer.concat([
    Buffer.from(`title,author\n${word} `),
    korean,
    Buffer.from(`,Somebody\n`),
  ]);
  await importFile(page, file);
  await page
    .getByRole('alert')
    .getByText(`EUC-KR (CP949). Its first title is "${word} 한국"`)
    .waitFor();
  expect(await found(word)).toEqual([]);
  await page.getByRole('button', { name: 'Import as EUC-KR (CP949)' }).click();
  await page.getByText('1 of 1 row: 1 added').waitFor();
  expect(await found(word)).toEqual([
    expect.objectContaining({ title: `${word} 한국`, totalStock: 1 }),
  ]);
});

it('refuses a file whose encoding it does not know', async () => {
  const page = await visitors.visit({ place: '/admin', token: library.target.admin });
  await importFile(
    page,
    Buffer.concat([Buffer.from('title,author\nA,B'), Buffer.from([0xff, 0xff])]),
  );
  await page.getByRole('alert').getByText('The file is not text in UTF-8.').waitFor();
});

it('downloads the refused rows as a table', async () => {
  const page = await visitors.visit({ place: '/admin', token: library.target.admin });
  await importFile(page, `title,author\n${uniqueWord()},\n`);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download 1 refused row' }).click();
  const text = await readFile(await (await download).path(), 'utf8');
  expect(text).toMatch(/^\uFEFF"Line","Reason"\r\n"2",/);
});

it('reports a file that it cannot read', async () => {
  const page = await visitors.visit({ place: '/admin', token: library.target.admin });
  await importFile(page, 'name,author\nEmma,Jane Austen\n');
  await page.getByRole('alert').getByText('The first line has no column title.').waitFor();
});

it('sends a reader who is not an administrator to the books', async () => {
  const page = await visitors.visit({ place: '/admin', token: library.newReader().token });
  await page.getByRole('heading', { name: 'Books' }).waitFor();
});
