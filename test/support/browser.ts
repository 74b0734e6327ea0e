import { chromium, type Browser } from 'playwright-core';
import { onCleanUp } from './cleanup';
import { asRoot, provideProgram } from './private/programs';

/** A browser for the tests of pages: Chromium, as it is installed or as the distribution has it. */

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'] as const;

/** Closed by `cleanUp`. */
export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: await provideProgram(NAMES, 'The tests of pages need Chromium'), args: asRoot('--no-sandbox') });
  onCleanUp(() => browser.close());
  return browser;
}
