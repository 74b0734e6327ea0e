import type { Page } from 'playwright-core';
import { Library, uniqueWord } from '../support/clients/books';
import { target, type Target } from '../support/service/target';
import { INSTALL_MS, Visitors } from '../support/clients/visitors';
import { waitUntil } from '../support/wait';

/** The desk, as somebody at the library uses it. */

/** Within this time somebody is erased, milliseconds. */
const ERASED_MS = 30_000;
/** Items of a page of the API that was not asked for more. */
const PAGE = 20;

let lendline: Target;
let library: Library;
let visitors: Visitors;
beforeAll(async () => {
  lendline = await target();
  library = new Library(lendline);
  visitors = await Visitors.open(lendline);
}, INSTALL_MS);

afterEach(async () => {
  expect(await visitors.leave()).toEqual([]);
});

const visit = (place: string, more: object = {}): Promise<Page> =>
  visitors.visit({ page: '/desk', place, token: lendline.admin, ...more });

interface Member {
  readonly userId: number;
  readonly username: string;
  readonly password: string;
}

async function newMember(): Promise<Member> {
  const [username, password] = [`reader-${uniqueWord()}`, `password ${uniqueWord()}`];
  const { status, body } = await library.call('post', '/api/auth/signup', {
    body: { username, password },
  });
  expect(status).toBe(201);
  return { userId: body.userId as number, username, password };
}

const signIn = async ({ username, password }: Member) =>
  (await library.call('post', '/api/auth/login', { body: { username, password } })).status;

/** A title with copies of these barcodes. */
async function titleWith(barcodes: readonly string[]): Promise<string> {
  const { bookInfoId, title } = await library.registered();
  const { status } = await library.manage('post', `/api/book-infos/${bookInfoId}/books`, {
    barcodes,
  });
  expect(status).toBe(201);
  return title;
}

it('lends and takes back by scans, by keyboard alone, says each aloud, and keeps the focus in the field', async () => {
  const member = await newMember();
  const [first, second] = [uniqueWord(), uniqueWord()];
  const title = await titleWith([first, second]);
  const page = await visit('/circulation');
  const scan = async (text: string) => {
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
  };
  await page.getByRole('textbox', { name: 'Reader' }).waitFor();
  await scan(member.username);
  await page.getByText(`Lending to ${member.username}.`).waitFor();
  await page.getByRole('textbox', { name: 'Barcode' }).waitFor();
  await scan(first);
  // The next scan does not wait for the answer.
  await scan(second);
  const said = page.locator('.said');
  const log = page.getByRole('region', { name: 'Latest scans' }).getByRole('listitem');
  await log.nth(1).waitFor();
  expect(await log.nth(1).innerText()).toMatch(`Lent "${title}" to ${member.username}, due `);
  // One reader borrows a title once.
  expect(await said.innerText()).toMatch(`${second}: `);
  expect(await said.getAttribute('aria-live')).toBe('assertive');
  await page.getByLabel('Return').check();
  await page.getByRole('textbox', { name: 'Barcode' }).waitFor();
  await scan(first);
  await page.getByText(`Returned "${title}" from ${member.username}.`).first().waitFor();
  await scan('no such copy');
  await log.nth(3).waitFor();
  expect(await page.evaluate('document.activeElement.name')).toBe('barcode');
});

it('finds a person, blocks and unblocks, makes a lecturer, and resets the password', async () => {
  const member = await newMember();
  const page = await visit('/people');
  await page.getByLabel('Username begins with').fill(member.username);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: member.username }).click();
  await page.getByRole('button', { name: 'Block' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  expect(await signIn(member)).toBe(200);
  await page.getByRole('button', { name: 'Block' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Block' }).click();
  await page.getByText('blocked').waitFor();
  expect(await signIn(member)).not.toBe(200);
  await page.getByRole('button', { name: 'Unblock' }).click();
  await page.getByText('active').waitFor();
  await page.getByRole('button', { name: 'Make lecturer' }).click();
  await page.getByRole('button', { name: 'Make reader' }).waitFor();
  await page.getByRole('button', { name: 'Reset password' }).click();
  const resetToken = await page.locator('.notice code').innerText();
  const newPassword = `password ${uniqueWord()}`;
  const { status } = await library.call('post', '/api/auth/password', {
    body: { resetToken, newPassword },
  });
  expect(status).toBe(204);
  expect(await signIn({ ...member, password: newPassword })).toBe(200);
});

it('exports what is kept about a person, and erases the person after it has asked', async () => {
  const member = await newMember();
  const page = await visit(`/people/${member.userId}/${member.username}`);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export data' }).click();
  expect((await download).suggestedFilename()).toBe(`user-${member.userId}.json`);
  await page.getByRole('button', { name: 'Erase' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Erase' }).click();
  await page.getByRole('heading', { name: 'People' }).waitFor();
  await waitUntil('the erasure', ERASED_MS, async () => (await signIn(member)) === 401);
});

it('shows the audit of one kind of action', async () => {
  await library.registered();
  const page = await visit('/audit');
  await page.getByLabel('Action').fill('lending.register-book-info');
  await page.keyboard.press('Enter');
  await page
    .getByRole('row', { name: /lending\.register-book-info/ })
    .first()
    .waitFor();
});

it('adds a webhook, shows its secret once, and deletes it after it has asked', async () => {
  const url = `https://example.org/${uniqueWord()}`;
  // No test causes events of these types, so that there is no delivery.
  const types = 'lending.borrow.overdue, lending.hold.expired';
  const page = await visit('/webhooks');
  await page.getByLabel('URL').fill(url);
  await page.getByLabel(/^Event types/).fill(types);
  await page.getByRole('button', { name: 'Add webhook' }).click();
  await page.getByText(/whsec_/).waitFor();
  const hook = page.getByRole('article', { name: url });
  await hook.getByText(types).waitFor();
  await hook.getByText('Deliveries').click();
  await hook.getByText('No deliveries yet.').waitFor();
  await hook.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await hook.waitFor({ state: 'detached' });
});

it('shows a webhook beyond the first page of the API', async () => {
  const base = `https://example.org/${uniqueWord()}`;
  const added = await Promise.all(
    Array.from({ length: PAGE + 1 }, (_, n) =>
      library.manage('post', '/api/webhooks', {
        url: `${base}/${n}`,
        types: ['lending.borrow.overdue'],
      }),
    ),
  );
  const page = await visit('/webhooks');
  await page.getByRole('article', { name: base }).nth(PAGE).waitFor();
  for (const { body } of added)
    await library.manage('delete', `/api/webhooks/${body.webhookId as number}`);
});

it('is a step away from the books, and back', async () => {
  const page = await visitors.visit({ place: '/books', token: lendline.admin });
  await page.getByRole('link', { name: 'Desk', exact: true }).click();
  await page.getByRole('heading', { name: 'Circulation' }).waitFor();
  await page.getByRole('link', { name: 'Catalogue' }).click();
  await page.getByRole('heading', { name: 'Catalogue' }).waitFor();
});

it('is for administrators', async () => {
  const page = await visit('/people', { token: library.newReader().token });
  await page.getByText('The desk is for administrators.').waitFor();
});
