import { uniqueWord } from '../support/books';
import { Campus } from '../support/courses';
import { target } from '../support/target';
import { INSTALL_MS, Visitors } from '../support/visitors';

let campus: Campus;
let visitors: Visitors;
beforeAll(async () => {
  const lendline = await target();
  campus = new Campus(lendline);
  visitors = await Visitors.open(lendline);
}, INSTALL_MS);

afterEach(() => {
  expect(visitors.complaints).toEqual([]);
});

it('finds a course, subscribes and completes it', async () => {
  const courseName = `Course ${uniqueWord()}`;
  await campus.registered({ courseName, capacity: 2 }, await campus.knownReader('lecturer'));
  const page = await visitors.visit({ place: '/courses', token: campus.newReader().token });
  await page.getByText(/You aren't taking any courses yet/).waitFor();
  await page.getByLabel('Course name').fill(courseName.toLowerCase());
  await page.getByRole('button', { name: 'Search' }).click();
  await page
    .getByRole('region', { name: 'All courses' })
    .getByText('0 videos, 0 of 2 places taken')
    .waitFor();
  await page.getByRole('link', { name: courseName }).click();
  await page.getByRole('button', { name: 'Subscribe' }).click();
  await page.getByText('You are taking this course.').waitFor();
  await page.getByText('1 of 2 places taken').waitFor();
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
    place: `/courses/${courseId}`,
    token: campus.newReader().token,
  });
  await page.getByRole('button', { name: 'Subscribe' }).click();
  await page.getByRole('button', { name: 'Cancel subscription' }).click();
  await page.getByText('You cancelled this course.').waitFor();
  await page.getByRole('button', { name: 'Subscribe' }).waitFor();
  await campus.call('post', `/courses/${courseId}/subscriptions`, {
    token: campus.newReader().token,
  });
  await page.getByText('The course is full.').waitFor();
  expect(await page.getByRole('button', { name: 'Subscribe' }).count()).toBe(0);
});

it('shows the lecturer the videos, and takes new ones', async () => {
  const lecturer = await campus.knownReader('lecturer');
  const { courseId } = await campus.registered({}, lecturer);
  const page = await visitors.visit({ place: `/courses/${courseId}`, token: lecturer.token });
  await page.getByText('Add video', { exact: true }).first().click();
  const form = page.getByRole('form', { name: 'Add video' });
  await form.getByLabel('Title').fill('Parsing');
  await form.getByLabel('URL').fill('https://video.example/parsing');
  await form.getByLabel('Length (seconds)').fill('125');
  await form.getByRole('button').click();
  await page
    .getByRole('listitem')
    .filter({ hasText: '2:05' })
    .getByRole('link', { name: 'Parsing' })
    .waitFor();
  await page.getByText('1 video,').waitFor();
});
