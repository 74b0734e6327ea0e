import type { Page } from 'playwright-core';
import { uniqueWord } from '../support/books';
import { ADMIN } from '../support/processes';
import { target, type Target } from '../support/target';
import { INSTALL_MS, Visitors } from '../support/visitors';

let lendline: Target;
let visitors: Visitors;
beforeAll(async () => {
  lendline = await target();
  visitors = await Visitors.open(lendline);
}, INSTALL_MS);

afterEach(() => {
  expect(visitors.complaints).toEqual([]);
});

const button = (page: Page, name: string) =>
  page.getByRole('main').getByRole('button', { name, exact: true }).first();

async function fill(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(password);
}

it('makes an account, and knows it after a reload and after signing out', async () => {
  const username = uniqueWord();
  const page = await visitors.visit({ place: '/sign-in' });
  await fill(page, username, 'correct horse battery');
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

it('tells why somebody cannot sign in, with the id of the request', async () => {
  const page = await visitors.visit({ place: '/sign-in' });
  await fill(page, ADMIN.username, 'a wrong password');
  const answer = page.waitForResponse('**/api/auth/login');
  await button(page, 'Sign in').click();
  const alert = page.getByRole('alert');
  await alert.getByText('There is no account with this username and password.').waitFor();
  expect(await alert.textContent()).toContain((await answer).headers()['x-request-id']);
});

it('leads back to where somebody came from', async () => {
  const page = await visitors.visit({ place: '/courses' });
  await page.getByRole('navigation').getByRole('link', { name: 'Sign in' }).click();
  await fill(page, ADMIN.username, ADMIN.password);
  await button(page, 'Sign in').click();
  await page.getByRole('heading', { name: 'My courses' }).waitFor();
});

it('takes the token of an identity provider, and says what is none', async () => {
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

it('asks whose token has expired to sign in again, and forgets it', async () => {
  const page = await visitors.visit({ place: '/mine', token: lendline.token({ expiresIn: -10 }) });
  await page.getByText('You were signed out.').waitFor();
  await page.getByLabel('Username').waitFor();
  expect(await page.evaluate("sessionStorage.getItem('lendline.token')")).toBeNull();
});
