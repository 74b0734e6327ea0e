import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { ROOT } from '../service/child';
import { onCleanUp } from '../run/cleanup';
import { rm } from 'node:fs/promises';

/** Finds what a page says that is not in the tables of its texts, and so in no other language. */

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};

/** Pages with marks around their texts, instead of those of the service. */
export class MarkedPages {
  private constructor(private readonly folder: string) {}

  static build(): MarkedPages {
    const folder = mkdtempSync(join(tmpdir(), 'marked-pages-'));
    onCleanUp(() => rm(folder, { recursive: true, force: true }));
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(__dirname, 'build-marked-pages.mjs'), folder],
      { cwd: ROOT, encoding: 'utf8', env: { ...process.env, NODE_ENV: 'production' } },
    );
    if (status !== 0) throw new Error(`the marked pages were not built: ${stderr}`);
    return new MarkedPages(folder);
  }

  /** `name`: of the page, by its folder. */
  async serve(page: Page, name: 'reader' | 'console' | 'desk'): Promise<void> {
    await page.route('**/*', (route, request) => {
      const { pathname } = new URL(request.url());
      if (request.resourceType() === 'document')
        return route.fulfill({
          path: join(this.folder, name, 'index.html'),
          contentType: 'text/html',
        });
      if (!pathname.startsWith('/assets/')) return route.fallback();
      return route.fulfill({
        path: join(this.folder, pathname),
        contentType: TYPES[extname(pathname)] ?? 'text/plain',
      });
    });
  }
}

/**
 * Everything that a page says to the eye or to the ear, folded away or not, but for quotations that
 * name their language.
 */
const SAID = `(() => {
  const said = [document.title];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode())
    if (!texts.currentNode.parentElement.closest('script, noscript, style, pre, code, body [lang]'))
      said.push(texts.currentNode.data);
  for (const name of ['aria-label', 'placeholder', 'title', 'alt'])
    for (const element of document.body.querySelectorAll('[' + name + ']'))
      said.push(element.getAttribute(name));
  return said;
})()`;

/** Marks may stand within marks. */
function withoutMarked(text: string): string {
  const less = text.replaceAll(/⟦[^⟦⟧]*⟧/g, '');
  return less === text ? text : withoutMarked(less);
}

const DATE = /\b[A-Z][a-z]{2} \d{1,2}, \d{4}(?:, \d{1,2}:\d{2}(?::\d{2})? [AP]M)?/g;

/** Returns what the page says that is neither marked, nor a date, nor data. Each once. */
export async function forgottenTexts(page: Page, data: readonly RegExp[]): Promise<string[]> {
  const said = await page.evaluate<string[]>(SAID);
  const left = said.map((text) =>
    [DATE, ...data].reduce((rest, datum) => rest.replaceAll(datum, ''), withoutMarked(text)),
  );
  return [...new Set(left.filter((text) => /\p{L}/u.test(text)).map((text) => text.trim()))];
}
