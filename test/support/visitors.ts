import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser } from './browser';
import type { Target } from './target';

/**
 * People in front of the reader's page and the console, each with a browser window of their own.
 */

/**
 * How long the browser may take to be installed, milliseconds; for the `beforeAll` that opens it.
 */
export const INSTALL_MS = 600_000;

/**
 * What the browser says of every answer from 400 on, and where none came: people are told, and
 * tests look at that.
 */
const UNANSWERED =
  /^Failed to load resource: (?:the server responded with a status of|net::ERR_CONNECTION_)/;

export interface Visit extends BrowserContextOptions {
  /** Path of the page; `/` unless given. */
  readonly page?: string;
  /** Behind the `#`. */
  readonly place?: string;
  /** Of who is signed in already. */
  readonly token?: string;
}

export class Visitors {
  /** What no page may do: break its policy, fail, or ask for something from elsewhere. */
  readonly complaints: string[] = [];

  private constructor(
    private readonly browser: Browser,
    private readonly target: Target,
  ) {}

  static async open(target: Target): Promise<Visitors> {
    return new Visitors(await openBrowser(), target);
  }

  /** A window of somebody. `prepare` is called before the page is asked for. */
  async visit(
    { page: path = '/', place = '', token, ...options }: Visit = {},
    prepare: (page: Page) => Promise<unknown> = () => Promise.resolve(),
  ): Promise<Page> {
    const context = await this.browser.newContext(options);
    const page = await context.newPage();
    page.on('console', (message) => {
      if (!UNANSWERED.test(message.text())) this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(`${this.target.url}/`) && !request.url().startsWith('data:'))
        this.complaints.push(`asked for ${request.url()}`);
    });
    // Only where nothing is: the page forgets tokens as well.
    if (token !== undefined)
      await page.addInitScript(
        `if (!sessionStorage.visited) { sessionStorage.visited = 1; sessionStorage['lendline.token'] = '${token}'; }`,
      );
    await prepare(page);
    await page.goto(`${this.target.url}${path}#${place}`);
    return page;
  }
}
