import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { amount } from '../run/amount';

/** How long all places of a page may take to be looked at on a busy machine, milliseconds. */
export const ALL_PLACES_MS = 400_000;

const [SMALL_PHONE, PHONE, DESKTOP] = [320, 390, 1280];
/** `npm test` tries each colour and each width, `npm run test:rest` each with the others. */
export const VIEWS = (
  [
    ['light', PHONE],
    ['dark', DESKTOP],
    ['light', DESKTOP],
    ['dark', PHONE],
  ] as const
).slice(0, amount(2, 4));

/** What may be cut off at the side: it can be scrolled, or is for screen readers alone. */
const SIDEWAYS = '.scrolls, .shelf.row, pre, .visually-hidden, .skip, .shelf .title';

/** The links, buttons and fields that are not wholly in the window. */
const CUT_OFF = `[...document.querySelectorAll('a, button, input, select, textarea, summary, h1')]
  .filter((one) => !one.closest('${SIDEWAYS}') && one.checkVisibility())
  .filter((one) => {
    const { left, right } = one.getBoundingClientRect();
    return left < 0 || right > innerWidth + 1;
  })
  .map((one) => one.getAttribute('aria-label') ?? one.textContent)`;

/** Returns what is wider than the window, or is cut off by its edge. */
async function widthFaults(page: Page, name: string, width: number): Promise<string[]> {
  const scrolled = await page.evaluate<number>('document.documentElement.scrollWidth');
  const cut = await page.evaluate<string[]>(CUT_OFF);
  return [
    ...(scrolled === width ? [] : [`${name}: ${scrolled} px wide in a window of ${width} px`]),
    ...cut.map((text) => `${name}: "${text}" is cut off in a window of ${width} px`),
  ];
}

/** Looks at the width of a place in a narrower window as well. */
async function narrowFaults(page: Page, name: string, width: number): Promise<string[]> {
  const faults = await widthFaults(page, name, width);
  const size = page.viewportSize();
  if (width !== PHONE || size === null) return faults;
  await page.setViewportSize({ ...size, width: SMALL_PHONE });
  faults.push(...(await widthFaults(page, name, SMALL_PHONE)));
  await page.setViewportSize(size);
  return faults;
}

/** How much of an element is shown, characters. */
const SHOWN_LENGTH = 160;

/**
 * Returns what axe-core finds on a place of a page, whatever its severity, and what a window cuts
 * off. The place must have its title.
 */
export async function placeFaults(page: Page, name: string, width: number): Promise<string[]> {
  expect(await page.title()).toBe(`${name} · Lendline`);
  const faults = await narrowFaults(page, name, width);
  const { violations } = await new AxeBuilder({ page }).analyze();
  return [
    ...faults,
    ...violations.map(
      ({ id, nodes }) =>
        `${name}: ${id} ${nodes.map(({ html }) => html.slice(0, SHOWN_LENGTH)).join(' ')}`,
    ),
  ];
}
