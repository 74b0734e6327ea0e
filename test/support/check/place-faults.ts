import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** How long all places of a page may take to be looked at on a busy machine, milliseconds. */
export const ALL_PLACES_MS = 400_000;

/** How much of an element is shown, characters. */
const SHOWN_LENGTH = 160;

/**
 * What axe-core finds on a place of a page, whatever its severity. The place must have its title,
 * and be as wide as its window.
 */
export async function placeFaults(page: Page, name: string, width: number): Promise<string[]> {
  expect(await page.title()).toBe(`${name} · Lendline`);
  expect([name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([
    name,
    width,
  ]);
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(
    ({ id, nodes }) =>
      `${name}: ${id} ${nodes.map(({ html }) => html.slice(0, SHOWN_LENGTH)).join(' ')}`,
  );
}
