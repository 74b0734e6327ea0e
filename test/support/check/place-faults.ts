import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { amount } from '../run/amount';

/** How long all places of a page may take to be looked at on a busy machine, milliseconds. */
export const ALL_PLACES_MS = 400_000;

const [PHONE, DESKTOP] = [390, 1280];
/** How wide each place is tried. The last is how a place that follows is loaded. */
const WIDTHS = [320, PHONE, 1920, DESKTOP];
/** How axe-core looks at each place: at first narrow and dark, and wide and light. */
const VIEWS = [
  ['dark', PHONE, 'none'],
  ['light', DESKTOP, 'none'],
  ['light', PHONE, 'none'],
  ['dark', DESKTOP, 'none'],
  ['light', DESKTOP, 'active'],
] as const;

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
/** axe-core is put into a page once: that takes five times as long as it then takes to look. */
const AXE_RUN = `axe.run(document, { resultTypes: ['violations'] })`;

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

/** Width of a printed page, pixels. */
const PAPER = 794;
/** What helps nobody on paper. */
const PRINTED = `[...document.querySelectorAll('button, .button, .skip, #page > header')]
  .filter((one) => one.checkVisibility())
  .map((one) => one.getAttribute('aria-label') ?? one.textContent)`;

/** How long charts may take to be drawn in the new size of a window, milliseconds. */
const RESIZED_MS = 10_000;

/** Returns what is wider than the window, or is cut off by its edge. */
async function widthFaultsNow(page: Page, name: string, width: number): Promise<string[]> {
  const scrolled = await page.evaluate<number>('document.documentElement.scrollWidth');
  const cut = await page.evaluate<string[]>(CUT_OFF);
  return [
    ...(scrolled === width ? [] : [`${name}: ${scrolled} px wide in a window of ${width} px`]),
    ...cut.map((text) => `${name}: "${text}" is cut off in a window of ${width} px`),
  ];
}

/** Returns what is still wider than the window once everything has had the time to follow it. */
async function widthFaults(page: Page, name: string, width: number): Promise<string[]> {
  const until = performance.now() + RESIZED_MS;
  let faults = await widthFaultsNow(page, name, width);
  while (faults.length > 0 && performance.now() < until) {
    await pause(50);
    faults = await widthFaultsNow(page, name, width);
  }
  return faults;
}

/** How much of an element is shown, characters. */
const SHOWN_LENGTH = 160;

async function axeFaults(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResults>(AXE_RUN);
  return violations.map(
    ({ id, nodes }) => `${id} ${nodes.map(({ html }) => html.slice(0, SHOWN_LENGTH)).join(' ')}`,
  );
}

/** Returns what is printed that only a screen needs, or does not fit on the paper. */
async function printFaults(page: Page, name: string): Promise<string[]> {
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width: PAPER, height: 844 });
  const printed = await page.evaluate<string[]>(PRINTED);
  const faults = [
    ...(await widthFaults(page, `${name}, printed`, PAPER)),
    ...printed.map((text) => `${name}: "${text}" is printed`),
  ];
  await page.emulateMedia({ media: 'screen' });
  return faults;
}

/**
 * Returns what axe-core finds on a place of a page, whatever its severity, and what a window cuts
 * off, in each colour and width and on paper. The place must have its title.
 */
export async function placeFaults(page: Page, name: string): Promise<string[]> {
  expect(await page.title()).toBe(`${name} · Lendline`);
  const faults: string[] = [];
  const resize = (width: number) => page.setViewportSize({ width, height: 844 });
  for (const [colorScheme, width, forcedColors] of VIEWS.slice(0, amount(2, VIEWS.length))) {
    await resize(width);
    // Colours that are still changing have other contrasts.
    await page.emulateMedia({ colorScheme, forcedColors, reducedMotion: 'reduce' });
    for (const fault of await axeFaults(page))
      faults.push(`${name}, ${colorScheme}, forced colours ${forcedColors}, ${width} px: ${fault}`);
  }
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' });
  faults.push(...(await printFaults(page, name)));
  for (const width of WIDTHS) {
    await resize(width);
    faults.push(...(await widthFaults(page, name, width)));
  }
  return faults;
}
