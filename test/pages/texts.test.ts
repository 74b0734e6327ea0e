import type { Page } from 'playwright-core';
import { Library } from '../support/clients/books';
import { Campus } from '../support/clients/courses';
import { forgottenTexts, MarkedPages } from '../support/check/forgotten-texts';
import { startService } from '../support/service/start-service';
import { Board } from '../support/clients/posts';
import type { Target } from '../support/service/target';
import { INSTALL_MS, Visitors } from '../support/clients/visitors';

/**
 * Whatever a page says is in the tables of its texts, and so in each of its languages. Here every
 * text of the tables has marks around it.
 */

/** How long all places of a page may take, milliseconds. */
const ALL_PLACES_MS = 300_000;

/** All data of this test have that word in them. The name of a language is written in it. */
const DATA = [/[\w.:/-]*data[\w.-]*/g, /^English$/g, /^한국어$/g];
/**
 * What only programs name: processes, codes, queues, types, things, ids. And the first
 * administrator.
 */
const NAMES = [
  ...[/\b[\w.-]+-\d+-[\da-f]{6}\b/g, /\b[A-Z]+(?:_[A-Z]+)+\b/g],
  ...[/\b[a-z-]+(?:\.[\w-]+)+/g, /\b[a-z-]+:[\w-]+/g, /\b[a-z]+-\d+\b/g, /\b[\da-f]{8,}\b/g],
  ...[/^embedded$/g, /^admin$/g],
];

let lendline: Target;
let visitors: Visitors;
let pages: MarkedPages;
let token: string;
/** Places of the readers' page, with something at each. */
let readerPlaces: readonly string[];
let member: number;
beforeAll(async () => {
  pages = MarkedPages.build();
  lendline = (await startService()).target;
  visitors = await Visitors.open(lendline);
  const [library, board, campus] = [
    new Library(lendline),
    new Board(lendline),
    new Campus(lendline),
  ];
  const reader = campus.newReader({ isAdmin: true, username: 'data-ada' });
  ({ token } = reader);
  const title = { title: 'data-title', author: 'data-author' };
  const there = await library.registered({ ...title, copies: 1 });
  const out = await library.registered({ ...title, copies: 0 });
  const { borrowId } = await library.borrowed(reader, { bookInfoId: there.bookInfoId });
  await library.returned(reader, { borrowId });
  await library.borrowed(reader, { bookInfoId: there.bookInfoId });
  await library.placeHold(reader, out.bookInfoId);
  const { postId } = await board.posted({
    ...{ title: 'data-post', content: 'data-content', tags: ['data-tag'] },
    userId: reader.userId,
  });
  const lecturer = campus.newReader({ role: 'lecturer', username: 'data-lecturer' });
  await campus.taken(lecturer);
  const course = { courseName: 'data-course', capacity: 3 };
  const { courseId } = await campus.registered(course, lecturer);
  await campus.subscribed(reader, courseId);
  const { videoId } = await campus.addedVideo(courseId, {
    ...{ title: 'data-video', url: 'https://data.example/film' },
  });
  readerPlaces = [
    ...['/', '/books', '/books?q=nothing', `/books/${there.bookInfoId}`],
    ...[`/books/${out.bookInfoId}`, '/library', '/notices', '/board', '/board?tags=data-tag'],
    ...[`/board/${postId}`, '/board/write', `/board/${postId}/edit`, '/learn'],
    ...[`/learn/${courseId}`, `/learn/${courseId}/watch/${videoId}`, `/learn/${courseId}/desk`],
    '/admin',
  ];
  const { body } = await library.call('post', '/api/auth/signup', {
    body: { username: 'data-member', password: 'a password of data' },
  });
  member = body.userId as number;
}, INSTALL_MS);

afterEach(async () => {
  expect(await visitors.leave()).toEqual([]);
});

const LOADED = "!document.querySelector('main .skeleton, main [aria-busy=true]')";

/** The texts that these places have forgotten, each with its place. */
async function forgottenAt(
  page: Page,
  places: readonly string[],
  data: readonly RegExp[] = DATA,
): Promise<string[]> {
  const forgotten: string[] = [];
  for (const place of places) {
    await page.goto(lendline.url + place);
    await page.getByRole('heading', { level: 1, name: /⟦|data/ }).waitFor();
    await page.waitForFunction(LOADED);
    // What is folded away is asked for when it is opened.
    for (const summary of await page.locator('main summary').all()) await summary.click();
    await page.waitForFunction(LOADED);
    const texts = await forgottenTexts(page, data);
    forgotten.push(...texts.map((text) => `${place}: ${text}`));
  }
  return forgotten;
}

it(
  'no page for readers has a text outside of the tables',
  async () => {
    const page = await visitors.visit({ token }, (opened) => pages.serve(opened, 'reader'));
    expect(await forgottenAt(page, readerPlaces)).toEqual([]);
  },
  ALL_PLACES_MS,
);

it('nor have signing in, signing up and refusals', async () => {
  const page = await visitors.visit({}, (opened) => pages.serve(opened, 'reader'));
  const forgotten = await forgottenAt(page, ['/sign-up', '/learn', '/sign-in']);
  await page.locator('[name=username]').fill('data-nobody');
  await page.locator('[name=password]').fill('a wrong password');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  expect([...forgotten, ...(await forgottenTexts(page, DATA))]).toEqual([]);
});

/** A query of its own for each, for with another `#` alone the page would not be loaded anew. */
const placesOf = (page: string, places: readonly string[]): readonly string[] =>
  places.map((place, index) => `${page}?${index}#/${place}`);

it.each([
  ['desk', ['circulation', 'people', 'overdue', 'audit', 'webhooks']],
  [
    'console',
    ['overview', 'partitions', 'commands', 'workers', 'dead-letters', 'events', 'workers/data'],
  ],
] as const)(
  'no page of the %s has a text outside of the tables',
  async (name, places) => {
    const page = await visitors.visit({ page: `/${name}`, token }, (opened) =>
      pages.serve(opened, name),
    );
    const all = name === 'desk' ? [...places, `people/${member}/data-member`] : places;
    expect(await forgottenAt(page, placesOf(`/${name}`, all), [...DATA, ...NAMES])).toEqual([]);
  },
  ALL_PLACES_MS,
);
