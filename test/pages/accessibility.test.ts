import { Library, uniqueWord } from '../support/clients/books';
import { Campus } from '../support/clients/courses';
import { ALL_PLACES_MS, placeFaults } from '../support/check/place-faults';
import { Board } from '../support/clients/posts';
import { target, type Target } from '../support/service/target';
import { INSTALL_MS, Visitors } from '../support/clients/visitors';

/** Of somebody who has nothing, and is no administrator. */
const EMPTY_PLACES = [
  ['/', 'Welcome to the library'],
  ['/books?q=nothing', 'Books'],
  ['/library', 'My library'],
  ['/notices', 'Notices'],
  ['/board?tags=nothing', 'Posts'],
  ['/learn', 'Courses'],
  ['/desk', 'Lendline desk'],
  ['/console', 'Lendline console'],
] as const;

let lendline: Target;
let visitors: Visitors;
let token: string;
/** Every place of the page, with something at it, by what it is called. */
let places: Readonly<Record<string, string>>;
beforeAll(async () => {
  lendline = await target();
  visitors = await Visitors.open(lendline);
  const [library, board, campus] = [
    new Library(lendline),
    new Board(lendline),
    new Campus(lendline),
  ];
  const reader = campus.newReader({ isAdmin: true });
  ({ token } = reader);
  const [borrowed, out, tag] = [
    await library.registered({ copies: 1 }),
    await library.registered({ copies: 0 }),
    uniqueWord(),
  ];
  await library.returned(reader, {
    borrowId: (await library.borrowed(reader, { bookInfoId: borrowed.bookInfoId })).borrowId,
  });
  await library.borrowed(reader, { bookInfoId: borrowed.bookInfoId });
  await library.placeHold(reader, out.bookInfoId);
  const { postId, title } = await board.posted({ tags: [tag] });
  const { courseId, courseName } = await campus.registered(
    { capacity: 3 },
    await campus.knownReader('lecturer'),
  );
  await campus.call('post', `/courses/${courseId}/subscriptions`, { token });
  const watched = await campus.addedVideo(courseId);
  await campus.addedVideo(courseId);
  places = {
    'Welcome to the library': '/',
    Books: '/books',
    [borrowed.title]: `/books/${borrowed.bookInfoId}`,
    'My library': '/library',
    Notices: '/notices',
    Posts: `/board?tags=${tag}`,
    [title]: `/board/${postId}`,
    'Write post': '/board/write',
    Courses: '/learn',
    [courseName]: `/learn/${courseId}`,
    [watched.title]: `/learn/${courseId}/watch/${watched.videoId}`,
    'Manage course': `/learn/${courseId}/desk`,
    'Edit post': `/board/${postId}/edit`,
    Catalogue: '/admin',
  };
}, INSTALL_MS);

afterEach(async () => {
  expect(await visitors.leave()).toEqual([]);
});

it(
  'no place has a fault, or is wider than its window',
  async () => {
    const page = await visitors.visit({ token });
    const faults: string[] = [];
    for (const [name, place] of Object.entries(places)) {
      await page.goto(lendline.url + place);
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      // Forms that are folded away are looked at as well.
      const folded = page.locator('summary, main button[aria-expanded]');
      for (const opens of await folded.all()) await opens.click();
      faults.push(...(await placeFaults(page, name)));
    }
    expect(faults).toEqual([]);
  },
  ALL_PLACES_MS,
);

it(
  'no place has a fault that has nothing to show, or is for others',
  async () => {
    const page = await visitors.visit({ token: new Campus(lendline).newReader().token });
    const faults: string[] = [];
    for (const [place, name] of EMPTY_PLACES) {
      await page.goto(lendline.url + place);
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      faults.push(...(await placeFaults(page, name)));
    }
    expect(faults).toEqual([]);
  },
  ALL_PLACES_MS,
);

it('signing in and up has no fault', async () => {
  const page = await visitors.visit({ place: '/sign-in' });
  await page.getByText('Sign in with a token').click();
  await page.getByLabel('Username').fill('nobody');
  await page.getByLabel('Password').fill('a wrong password');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  const faults = await placeFaults(page, 'Sign in');
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByRole('heading', { name: 'Create account' }).waitFor();
  expect([...faults, ...(await placeFaults(page, 'Create account'))]).toEqual([]);
});

it('is used by keyboard alone: to the content, to a title, to a hold, with the focus where one goes on', async () => {
  const library = new Library(lendline);
  const { title } = await library.registered({ copies: 0 });
  const page = await visitors.visit({
    place: `/books?q=${encodeURIComponent(title)}&sort=title`,
    token: library.newReader().token,
  });
  await page.getByRole('link', { name: title }).waitFor();
  const focused = () =>
    page.evaluate<string>(
      'document.activeElement.id || document.activeElement.name || document.activeElement.innerText',
    );
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Skip to content');
  await page.keyboard.press('Enter');
  expect(await focused()).toBe('content');
  for (const name of [/^All/, /^Available only/, /^sort$/]) {
    await page.keyboard.press('Tab');
    expect(await focused()).toMatch(name);
  }
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: title }).waitFor();
  expect(await focused()).toBe('content');
  await page.getByRole('button', { name: 'Place hold' }).waitFor();
  for (const name of [/^Author /, /^Place hold$/]) {
    await page.keyboard.press('Tab');
    expect(await focused()).toMatch(name);
  }
  await page.keyboard.press('Enter');
  await page.getByText('You are number 1 in line.').waitFor();
  expect(await focused()).toBe('Cancel hold');
});
