import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser } from './browser';
import type { Target } from '../service/target';

/**
 * People in front of the reader's page and the console, each with a browser window of their own.
 */

/**
 * How long the browser may take to be installed, milliseconds; for the `beforeAll` that opens it.
 */
export const INSTALL_MS = 600_000;

/** How long a page may take to do or show something on a busy machine, milliseconds. */
const PATIENCE_MS = 60_000;

/**
 * What the browser says of every answer from 400 on, and where none came: people are told, and
 * tests look at that.
 */
const UNANSWERED =
  /^Failed to load resource: (?:the server responded with a status of|net::ERR_CONNECTION_)/;

/**
 * The worker for reading offline would ask the service past the routes of a test; its own test lets
 * it work.
 */
const BLOCKED = 'Service Worker registration blocked by Playwright';

export interface Visit extends BrowserContextOptions {
  /** Address of a place of the readers' page. */
  readonly place?: string;
  /** Path of another page, whose places stand behind the `#`. */
  readonly page?: string;
  /** Of who is signed in already. */
  readonly token?: string;
}

/** The size of a window, pixels, unless a test asks for another one. */
const SIZE = { width: 1280, height: 720 };
const AS_USUAL = { media: null, colorScheme: null, forcedColors: null, reducedMotion: null };
/** A path of the service that has no page. A window that waits there asks for nothing. */
const NOWHERE = '/livez';

export class Visitors {
  /** What no page may do: break its policy, fail, or ask for something from elsewhere. */
  readonly complaints: string[] = [];
  /** Windows with options or with something prepared: each belongs to one test. */
  private readonly windows: BrowserContext[] = [];
  /**
   * All other windows, which one test after the other uses. Chromium starts a process for a new
   * window, which costs more than showing a page in it.
   */
  private readonly kept: Page[] = [];
  private taken = 0;

  private constructor(
    private readonly browser: Browser,
    private readonly target: Target,
  ) {}

  static async open(target: Target): Promise<Visitors> {
    return new Visitors(await openBrowser(), target);
  }

  /** Returns a window of somebody. `prepare` is called before the page is asked for. */
  async visit(
    { page: path, place = '', token = '', ...options }: Visit = {},
    prepare?: (page: Page) => Promise<unknown>,
  ): Promise<Page> {
    const isPlain = Object.keys(options).length === 0 && prepare === undefined;
    const page = isPlain
      ? (this.kept[this.taken++] ??= await this.newPage(options))
      : await this.newPage(options);
    if (!isPlain) this.windows.push(page.context());
    await page.goto(this.target.url + NOWHERE);
    await page.evaluate(
      `localStorage.clear(); sessionStorage.clear(); if ('${token}') sessionStorage['lendline.token'] = '${token}';`,
    );
    await prepare?.(page);
    await page.goto(this.target.url + (path === undefined ? place || '/' : `${path}#${place}`));
    return page;
  }

  private async newPage(options: BrowserContextOptions): Promise<Page> {
    const context = await this.browser.newContext({
      ...{ serviceWorkers: 'block', viewport: SIZE },
      ...options,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    page.on('console', (message) => {
      if (!UNANSWERED.test(message.text()) && message.text() !== BLOCKED)
        this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(`${this.target.url}/`) && !request.url().startsWith('data:'))
        this.complaints.push(`asked for ${request.url()}`);
    });
    return page;
  }

  /**
   * After a test: closes or leaves its windows, which would go on asking the service, and returns
   * what no page may do and these have done.
   */
  async leave(): Promise<string[]> {
    const complaints = this.complaints.splice(0);
    for (const context of this.windows.splice(0)) {
      for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    }
    for (const page of this.kept.slice(0, this.taken)) {
      for (const other of page.context().pages()) if (other !== page) await other.close();
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await page.goto(this.target.url + NOWHERE);
      await page.emulateMedia(AS_USUAL);
      await page.setViewportSize(SIZE);
    }
    this.taken = 0;
    return complaints;
  }
}

/** Somebody comes back to the window: what the page shows is read again at once. */
export const comeBack = (page: Page): Promise<unknown> =>
  page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
