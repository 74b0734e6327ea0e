import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { uniqueWord } from '../support/clients/books';
import { Campus } from '../support/clients/courses';
import { target } from '../support/service/target';
import { comeBack, INSTALL_MS, Visitors } from '../support/clients/visitors';

/** How much later a slow read comes, milliseconds. */
const SLOW_MS = 300;

let campus: Campus;
let visitors: Visitors;
beforeAll(async () => {
  const lendline = await target();
  campus = new Campus(lendline);
  visitors = await Visitors.open(lendline);
}, INSTALL_MS);

afterEach(async () => {
  expect(await visitors.leave()).toEqual([]);
});

it('finds a course, subscribes and completes it', async () => {
  const courseName = `Course ${uniqueWord()}`;
  await campus.registered({ courseName, capacity: 2 }, await campus.knownReader('lecturer'));
  const page = await visitors.visit({ place: '/learn', token: campus.newReader().token });
  await page.getByText(/You aren't taking any courses yet/).waitFor();
  await page.getByLabel('Course name').fill(courseName.toLowerCase());
  await page.getByRole('button', { name: 'Search' }).click();
  await page
    .getByRole('region', { name: 'All courses' })
    .getByText('0 videos, 0 of 2 seats taken')
    .waitFor();
  await page.getByRole('link', { name: courseName }).click();
  await page.getByRole('button', { name: 'Subscribe' }).click();
  await page.getByText('You are taking this course.').waitFor();
  await page.getByText('1 of 2 seats taken').waitFor();
  await page.getByRole('button', { name: 'Complete' }).click();
  await page.getByText('You completed this course.').waitFor();
  await page.getByRole('link', { name: 'Courses' }).click();
  await page
    .getByRole('region', { name: 'My courses' })
    .getByText(/^Completed on/)
    .waitFor();
});

it('cancels a subscription, and takes nobody more when the last place is taken while the page is open', async () => {
  const { courseId } = await campus.registered(
    { capacity: 1 },
    await campus.knownReader('lecturer'),
  );
  const page = await visitors.visit({
    place: `/learn/${courseId}`,
    token: campus.newReader().token,
  });
  await page.getByRole('button', { name: 'Subscribe' }).click();
  await page.getByRole('button', { name: 'Cancel subscription' }).click();
  await page.getByText('You cancelled this course.').waitFor();
  await page.getByRole('button', { name: 'Subscribe' }).waitFor();
  await campus.call('post', `/courses/${courseId}/subscriptions`, {
    token: campus.newReader().token,
  });
  await comeBack(page);
  await page.getByText('The course is full.').waitFor();
  await page.getByRole('button', { name: 'Join waitlist' }).click();
  await page.getByText(/You are number 1 on the waitlist/).waitFor();
  await page.getByText('1 waiting').waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Leave waitlist' }).click();
  await page.getByRole('button', { name: 'Join waitlist' }).waitFor();
});

it('marks videos as done and takes that back, in the list and beside the player', async () => {
  const { courseId } = await campus.registered();
  const [first, second] = [await campus.addedVideo(courseId), await campus.addedVideo(courseId)];
  const reader = campus.newReader();
  await campus.subscribed(reader, courseId);
  const page = await visitors.visit({ place: `/learn/${courseId}`, token: reader.token });
  await page.getByRole('button', { name: `Mark as done: ${second.title}` }).click();
  await page.getByText('1 of 2 videos done').waitFor();
  await page.reload();
  await page.getByRole('button', { name: `Mark as not done: ${second.title}` }).click();
  await page.getByText('0 of 2 videos done').waitFor();
  await page.getByRole('link', { name: first.title }).click();
  await page.getByRole('heading', { name: first.title }).waitFor();
  // Nothing of another server is loaded unless the operator allows that.
  const link = page.getByRole('link', { name: 'Watch at video.example' });
  expect(await link.getAttribute('href')).toBe(first.url);
  await page.getByRole('button', { name: `Mark as done: ${first.title}` }).click();
  await page.getByRole('button', { name: `Mark as not done: ${first.title}` }).waitFor();
  await page.getByRole('link', { name: 'Next video' }).click();
  await page.getByRole('heading', { name: second.title }).waitFor();
});

it('leads on to the first video that is not done, and offers to complete the course after the last', async () => {
  const { courseId } = await campus.registered();
  const [first, second] = [await campus.addedVideo(courseId), await campus.addedVideo(courseId)];
  const reader = campus.newReader();
  await campus.subscribed(reader, courseId);
  const page = await visitors.visit({ place: `/learn/${courseId}`, token: reader.token });
  const next = page.locator('main .button:not(.secondary), main button:not(.secondary)');
  await page.getByRole('link', { name: 'Start course' }).waitFor();
  expect(await next.allTextContents()).toEqual(['Start course']);
  await page.getByRole('button', { name: `Mark as done: ${first.title}` }).click();
  await page.getByRole('link', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: second.title, level: 1 }).waitFor();
  await page.getByRole('button', { name: `Mark as done: ${second.title}` }).click();
  await page.getByRole('button', { name: `Mark as not done: ${second.title}` }).waitFor();
  await page.goBack();
  await page.getByText('2 of 2 videos done').waitFor();
  expect(await next.allTextContents()).toEqual(['Complete']);
});

describe("the lecturer's desk", () => {
  /** A course with three videos, in front of its lecturer. */
  async function managed(fields: Readonly<Record<string, unknown>> = {}) {
    const lecturer = await campus.knownReader('lecturer');
    const { courseId } = await campus.registered(fields, lecturer);
    const titles = ['One', 'Two', 'Three'].map((name) => `${name} ${uniqueWord()}`);
    for (const title of titles) await campus.addedVideo(courseId, { title });
    const page = await visitors.visit({ place: `/learn/${courseId}/desk`, token: lecturer.token });
    await page.getByRole('heading', { name: 'Manage course' }).waitFor();
    return { courseId, titles, page };
  }
  const shown = (page: Page) =>
    page.getByRole('region', { name: 'Videos' }).locator('.name').allTextContents();
  const order = async (courseId: number) =>
    (await campus.videos(courseId)).map(({ title }) => title);

  it('makes a course, with its videos', async () => {
    const lecturer = await campus.knownReader('lecturer');
    const courseName = `Course ${uniqueWord()}`;
    const page = await visitors.visit({ place: '/learn', token: lecturer.token });
    await page.getByText('New course', { exact: true }).first().click();
    const form = page.getByRole('form', { name: 'New course' });
    await form.getByLabel('Course name').fill(courseName);
    await form.getByLabel(/^Seats/).fill('30');
    await form.getByRole('button').click();
    await page.getByRole('link', { name: `Created: ${courseName}` }).click();
    await page.getByText('No videos yet.').waitFor();
    await page.getByText('Add video', { exact: true }).first().click();
    const video = page.getByRole('form', { name: 'Add video' });
    await video.getByLabel('Title').fill('Parsing');
    await video.getByLabel('URL').fill('https://video.example/parsing');
    await video.getByLabel('Length (seconds)').fill('125');
    await video.getByRole('button').click();
    await page.locator('.name').filter({ hasText: 'Parsing' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: courseName }).click();
    await page.getByRole('listitem').filter({ hasText: '2:05' }).waitFor();
    await page.getByText('1 video,').waitFor();
  });

  it('changes the course and lets in who waits, and shows roster and waitlist', async () => {
    const { courseId, page } = await managed({ capacity: 1 });
    const [first, second] = [campus.newReader(), campus.newReader()];
    await campus.subscribed(first, courseId);
    await campus.joined(second, courseId);
    await comeBack(page);
    const [roster, waitlist] = ['Subscribers', 'Waitlist'].map((name) =>
      page.getByRole('region', { name }).first(),
    );
    await roster!.getByRole('row', { name: first.username }).waitFor();
    await waitlist!.getByRole('row', { name: second.username }).waitFor();
    const details = page.getByRole('form', { name: 'Details' });
    await details.getByLabel(/^Seats/).fill('2');
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await details.getByRole('button').click();
    expect((await sent).postDataJSON()).toEqual({ capacity: 2 });
    await roster!.getByRole('row', { name: second.username }).waitFor();
    await waitlist!.getByText('Nobody is waiting.').waitFor();
  });

  it('moves videos by keyboard, keeps the focus, and says what has moved', async () => {
    const { courseId, titles, page } = await managed();
    const [one, two, three] = titles;
    // What else the page reads after a write comes later than the videos.
    await page.route(/\/api\/users\/me/, async (route) => {
      await pause(SLOW_MS);
      await route.continue();
    });
    await page.getByRole('button', { name: `Move down: ${one}` }).focus();
    await page.keyboard.press('Enter');
    await page.getByText(`${one} is now number 2.`).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText(`${one} is now number 3.`).waitFor();
    expect(await shown(page)).toEqual([two, three, one]);
    // At the end there is only the way back.
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe(
      `Move up: ${one}`,
    );
    expect(await order(courseId)).toEqual([two, three, one]);
  });

  it('moves a video that is dragged, and changes and deletes one', async () => {
    const { courseId, titles, page } = await managed();
    const [one, two, three] = titles;
    const row = (title: string) => page.locator('[data-video]').filter({ hasText: title });
    await row(three!).locator('.handle').dragTo(row(one!));
    await page.getByText(`${three} is now number 1.`).waitFor();
    expect(await order(courseId)).toEqual([three, one, two]);
    await page.getByLabel(`Edit: ${two}`, { exact: true }).first().click();
    const form = page.getByRole('form', { name: `Edit: ${two}` });
    const title = `Changed ${uniqueWord()}`;
    await form.getByLabel('Title').fill(title);
    await form.getByRole('button').click();
    await page.locator('.name').filter({ hasText: title }).waitFor();
    await page.getByRole('button', { name: `Delete: ${one}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await row(one!).waitFor({ state: 'detached' });
    expect(await order(courseId)).toEqual([three, title]);
  });

  it('is for its lecturer only, and deletes a course without subscribers', async () => {
    const { courseId, page } = await managed();
    const other = await visitors.visit({
      place: `/learn/${courseId}/desk`,
      token: campus.newLecturer().token,
    });
    await other.getByText(/^Only the lecturer of this course/).waitFor();
    await page.getByRole('button', { name: 'Delete course' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete course' }).click();
    await page.getByRole('heading', { name: 'Courses', exact: true }).waitFor();
    expect((await campus.call('get', `/courses/${courseId}`)).status).toBe(404);
  });
});
