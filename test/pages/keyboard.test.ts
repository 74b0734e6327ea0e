import { setTimeout as pause } from 'node:timers/promises';
import { Library } from '../support/clients/books';
import { Campus } from '../support/clients/courses';
import { tabTo } from '../support/clients/keyboard';
import { INSTALL_MS, Visitors } from '../support/clients/visitors';
import { target } from '../support/service/target';

/** What readers do, by keyboard alone. A hold is placed so in `accessibility.test.ts`. */

const SLOW_MS = 1000;

let library: Library;
let campus: Campus;
let visitors: Visitors;
beforeAll(async () => {
  const lendline = await target();
  [library, campus] = [new Library(lendline), new Campus(lendline)];
  visitors = await Visitors.open(lendline);
}, INSTALL_MS);

afterEach(async () => {
  expect(await visitors.leave()).toEqual([]);
});

it('searches, borrows and returns', async () => {
  const { title } = await library.registered({ copies: 1 });
  const page = await visitors.visit({ token: library.newReader().token });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await tabTo(page, /^Title, author or ISBN/);
  await page.keyboard.type(title);
  await page.getByText('1 title', { exact: true }).waitFor();
  await page.getByRole('main').getByRole('link', { name: title }).waitFor();
  await tabTo(page, new RegExp(title));
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Borrow' }).waitFor();
  // What else the page reads after a write comes later than the loan. A press until then counts.
  await page.route(/\/api\/users\/me/, async (route) => {
    await pause(SLOW_MS);
    await route.continue();
  });
  await tabTo(page, /^Borrow/);
  await page.keyboard.press('Enter');
  await page.getByText(/^Due /).waitFor();
  // The focus stays where one goes on.
  await tabTo(page, /^Renew/);
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Borrow' }).waitFor();
});

it('subscribes to a course, marks a video as done, and cancels', async () => {
  const { courseId } = await campus.registered({}, await campus.knownReader('lecturer'));
  await campus.addedVideo(courseId);
  await campus.addedVideo(courseId);
  const token = campus.newReader().token;
  const page = await visitors.visit({ place: `/learn/${courseId}`, token });
  await page.getByRole('button', { name: 'Subscribe' }).waitFor();
  await tabTo(page, /^Subscribe/);
  await page.keyboard.press('Enter');
  await page.getByText('You are taking this course.').waitFor();
  await page
    .getByRole('button', { name: /^Mark as done/ })
    .first()
    .waitFor();
  await tabTo(page, /^Mark as done/);
  await page.keyboard.press('Enter');
  await page.getByText('1 of 2 videos done').first().waitFor();
  await page.getByRole('main').focus();
  await tabTo(page, /^Cancel subscription/);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Subscribe' }).waitFor();
});
