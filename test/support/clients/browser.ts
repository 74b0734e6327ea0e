import { chromium, type Browser } from 'playwright-core';
import { onCleanUp } from '../run/cleanup';
import { timed } from '../run/times/kinds';
import { asRoot, provideProgram } from '../servers/private/programs';

/** A browser for the tests of pages: Chromium, as it is installed or as the distribution has it. */

/** The first takes half the processor time to start. */
export const CHROMIUM = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
] as const;

/** Closed by `cleanUp`. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = await provideProgram(CHROMIUM, 'The tests of pages need Chromium');
  const browser = await timed('browser', () =>
    chromium.launch({ executablePath, args: asRoot('--no-sandbox') }),
  );
  onCleanUp(() => browser.close());
  return browser;
}
