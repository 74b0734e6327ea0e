import { Library, uniqueWord } from '../support/clients/books';
import { INSTALL_MS, Visitors } from '../support/clients/visitors';
import { ALL_PLACES_MS, placeFaults } from '../support/check/place-faults';
import { newPoison, quarantined, type Poison } from '../support/faults/poison';
import { startService } from '../support/service/start-service';
import type { Target } from '../support/service/target';

/** How the desk and the console look, with something at each of their places. */

const DESK = {
  Circulation: '/circulation',
  People: '/people',
  Overdue: '/overdue',
  Audit: '/audit',
  Webhooks: '/webhooks',
};
/** Each place, and what is there once it has loaded. */
const CONSOLE = {
  Overview: ['/overview', '.figures li'],
  Partitions: ['/partitions', 'td'],
  Commands: ['/commands', 'main li'],
  Workers: ['/workers', 'td'],
  'Dead letters': ['/dead-letters', 'article'],
  Events: ['/events', 'main li'],
} as const;
/** Folded parts that are opened at a place. */
const OPENED_MAX = 3;

/** The name and the place of a person. */
let personPlace: readonly [name: string, place: string];
let poison: Poison;
let lendline: Target;
let library: Library;
let visitors: Visitors;
beforeAll(async () => {
  poison = await newPoison();
  lendline = (await startService({ env: poison.env })).target;
  library = new Library(lendline);
  visitors = await Visitors.open(lendline);
  const body = { username: `reader-${uniqueWord()}`, password: `password ${uniqueWord()}` };
  const { status, body: member } = await library.call('post', '/api/auth/signup', { body });
  expect(status).toBe(201);
  personPlace = [body.username, `/people/${member.userId as number}/${body.username}`];
  await quarantined(library, poison);
}, INSTALL_MS);

afterEach(async () => {
  expect(await visitors.leave()).toEqual([]);
});

it(
  'no place of the desk has a fault, or is wider than its window',
  async () => {
    const page = await visitors.visit({ page: '/desk', token: lendline.admin });
    const faults: string[] = [];
    for (const [name, place] of [...Object.entries(DESK), personPlace]) {
      await page.goto(`${lendline.url}/desk#${place}`);
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      faults.push(...(await placeFaults(page, name)));
    }
    expect(faults).toEqual([]);
  },
  ALL_PLACES_MS,
);

it(
  'no place of the console has a fault, or is wider than its window',
  async () => {
    const page = await visitors.visit({ page: '/console', token: lendline.admin });
    const faults: string[] = [];
    for (const [name, [place, loaded]] of Object.entries(CONSOLE)) {
      await page.goto(`${lendline.url}/console#${place}`);
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      if (name === 'Events') {
        // The page says so once its stream is open, and shows what happens from then on.
        await page.getByText('No events yet.').waitFor();
        await library.registered();
      }
      await page.locator(loaded).first().waitFor();
      const folded = await page.locator('summary').all();
      for (const summary of folded.slice(0, OPENED_MAX)) await summary.click();
      faults.push(...(await placeFaults(page, name)));
    }
    expect(faults).toEqual([]);
  },
  ALL_PLACES_MS,
);
