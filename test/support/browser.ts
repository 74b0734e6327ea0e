import { chromium, type Browser } from 'playwright-core';
import { onCleanUp } from './cleanup';
import { asRoot, canInstall, findProgram, install } from './private/programs';

/** A browser for the tests of pages: Chromium, as it is installed or as the distribution has it. */

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

async function installed(): Promise<string> {
  const found = findProgram(...NAMES);
  if (found) return found;
  if (canInstall()) await install(['chromium']);
  const path = findProgram(...NAMES);
  if (!path) throw new Error('The tests of pages need Chromium: install it, or run them as root on Debian or Ubuntu.');
  return path;
}

/** Closed by `cleanUp`. */
export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: await installed(), args: asRoot('--no-sandbox') });
  onCleanUp(() => browser.close());
  return browser;
}
