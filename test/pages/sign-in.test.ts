import type { Page } from 'playwright-core';
import { uniqueWord } from '../support/clients/books';
import { ADMIN } from '../support/service/processes';
import { target, type Target } from '../support/service/target';
import { INSTALL_MS, Visitors } from '../support/clients/visitors';

let lendline: Target;
let visitors: Visitors;
beforeAll(async () => {
  lendline = await target();
  visitors = await Visitors.open(lendline);
}, INSTALL_MS);

afterEach(async () => {
  expect(await visitors.leave()).toEqual([]);
});

const button = (page: Page, name: string) =>
  page.getByRole('main').getByRole('button', { name, exact: true }).first();

async function fill(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
}

it('makes an account, and knows it after a reload and after signing out', async () => {
  const username = uniqueWord();
  const page = await visitors.visit({ place: '/sign-up' });
  for (const label of ['Password', 'Repeat the password'])
    expect(await page.getByLabel(label, { exact: true }).getAttribute('autocomplete')).toBe(
      'new-password',
    );
  await page.getByText(/^8 to 128 characters/).waitFor();
  await fill(page, username, 'correct horse battery');
  await page.getByLabel('Repeat the password').fill('correct horse');
  await button(page, 'Create account').click();
  await page.getByText('The passwords are not the same.').waitFor();
  await page.getByLabel('Repeat the password').fill('correct horse battery');
  await button(page, 'Create account').click();
  await page.getByRole('banner').getByText(username).waitFor();

  await page.reload();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('navigation').getByRole('link', { name: 'Sign in' }).click();
  await fill(page, username, 'correct horse battery');
  await button(page, 'Sign in').click();
  await page.getByRole('banner').getByText(username).waitFor();
  expect(await page.getByRole('link', { name: 'Catalogue' }).count()).toBe(0);
});

it('ends the token for everybody when its user signs out', async () => {
  const page = await visitors.visit({ place: '/sign-in' });
  await fill(page, ADMIN.username, ADMIN.password);
  await button(page, 'Sign in').click();
  await page.getByRole('banner').getByText(ADMIN.username).waitFor();
  const token = await page.evaluate<string>("sessionStorage.getItem('lendline.token')");
  const ended = page.waitForResponse('**/api/auth/logout');
  await page.getByRole('button', { name: 'Sign out' }).click();
  expect((await ended).status()).toBe(204);
  const { status } = await fetch(`${lendline.url}/api/users/me`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(status).toBe(401);
  expect(await page.evaluate("Object.entries(sessionStorage).join(' ')")).toBe(
    'lendline.commands,[]',
  );
});

it('explains a failed sign-in', async () => {
  const page = await visitors.visit({ place: '/sign-in' });
  await fill(page, ADMIN.username, 'a wrong password');
  await button(page, 'Sign in').click();
  await page.getByRole('alert').getByText('The username or the password is wrong.').waitFor();
  expect(await page.getByText(/^Request /).count()).toBe(0);
});

it('leads back to where somebody came from', async () => {
  const page = await visitors.visit({ place: '/learn' });
  await page.getByRole('navigation').getByRole('link', { name: 'Sign in' }).click();
  await fill(page, ADMIN.username, ADMIN.password);
  await button(page, 'Sign in').click();
  await page.getByRole('heading', { name: 'My courses' }).waitFor();
});

it('accepts the token of an identity provider, and explains an invalid one', async () => {
  const page = await visitors.visit({ place: '/sign-in' });
  await page.getByText('Sign in with a token').click();
  const form = page.locator('details');
  await form.getByLabel('Token').fill('no token');
  await form.getByRole('button').click();
  await form.getByText(/not a valid token/).waitFor();
  await form.getByLabel('Token').fill(lendline.token({ username: 'zoë' }));
  await form.getByRole('button').click();
  await page.getByRole('banner').getByText('zoë').waitFor();
});

it('asks for a new sign-in when the token has expired, and forgets it', async () => {
  const page = await visitors.visit({
    place: '/library',
    token: lendline.token({ expiresIn: -10 }),
  });
  await page.getByText('You were signed out.').waitFor();
  await page.getByLabel('Username').waitFor();
  expect(await page.evaluate("sessionStorage.getItem('lendline.token')")).toBeNull();
});

it('knows in a new tab who is signed in, and signs out in all', async () => {
  const username = uniqueWord();
  const page = await visitors.visit({ token: lendline.token({ username }) });
  await page.getByRole('banner').getByText(username).waitFor();
  const other = await page.context().newPage();
  await other.goto(`${lendline.url}/library`);
  await other.getByRole('heading', { name: 'My library' }).waitFor();
  await other.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('navigation').getByRole('link', { name: 'Sign in' }).waitFor();
  expect(await page.evaluate("sessionStorage.getItem('lendline.token')")).toBeNull();
});

it('speaks the language of the browser, and another one when asked to', async () => {
  const page = await visitors.visit({ place: '/books', locale: 'ko-KR' });
  await page.getByRole('heading', { name: '도서' }).waitFor();
  expect(await page.evaluate('document.documentElement.lang')).toBe('ko');
  await page.getByRole('button', { name: 'English' }).click();
  await page.getByRole('heading', { name: 'Books' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Books' }).waitFor();
});
