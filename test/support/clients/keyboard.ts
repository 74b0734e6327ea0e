import type { Page } from 'playwright-core';

/** Most steps from one thing on a place to another. */
const STEPS_MAX = 60;

/** What has the focus, as a reader would call it. */
const focused = (page: Page): Promise<string> =>
  page.evaluate<string>(
    `(({ ariaLabel, innerText, labels, id }) =>
       ariaLabel || innerText || labels?.[0]?.innerText || id || '')(document.activeElement)`,
  );

/** Presses Tab until something with this name has the focus; @throws when nothing has. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  const passed: string[] = [];
  while (passed.length < STEPS_MAX) {
    await page.keyboard.press('Tab');
    const at = (await focused(page)).trim();
    if (name.test(at)) return;
    passed.push(at);
  }
  throw new Error(`Nothing called ${String(name)} was reached by Tab, but: ${passed.join(' | ')}`);
}
