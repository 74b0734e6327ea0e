import { Caller } from './caller';
import { Editor } from './editor';

/**
 * Steady load on cold titles: each has one client, who renames it after each answer. Only a
 * partition that stands still makes such a call long, so the longest call is the pause. The
 * versions in the answers show whether a renaming was lost, doubled or overtaken.
 */
export class SteadyEditors {
  private readonly caller: Caller;
  private calls: { readonly from: number; readonly ms: number }[] = [];
  private finished = 0;
  private stopped = false;
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly urls: () => readonly string[],
    private readonly secret: string,
    private readonly admin: string,
  ) {
    this.caller = new Caller(urls);
  }

  get violations(): readonly string[] {
    return this.caller.violations;
  }

  /** Renamings that were answered. */
  get answered(): number {
    return this.finished;
  }

  async start(titles: number): Promise<void> {
    const [url = ''] = this.urls();
    const ids = await new Editor(url, this.secret).register(titles);
    this.running = Promise.all(ids.map((bookInfoId) => this.rename(bookInfoId)));
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  /**
   * Returns the longest call that began at or after this instant of `performance.now()`,
   * milliseconds; forgets the calls until now.
   */
  longestSince(instant: number): number {
    const calls = this.calls.splice(0);
    return Math.max(0, ...calls.filter(({ from, ms }) => from + ms >= instant).map(({ ms }) => ms));
  }

  private async rename(bookInfoId: number): Promise<void> {
    for (let version = 2; !this.stopped; version += 1) {
      const from = performance.now();
      const { status, body } = await this.caller.call(
        'PATCH',
        `/api/book-infos/${bookInfoId}`,
        this.admin,
        { title: `Name ${version}` },
      );
      this.calls.push({ from, ms: performance.now() - from });
      this.finished += 1;
      if (status !== 200 || body.version !== version)
        this.caller.violations.push(
          `renaming ${version} of title ${bookInfoId}: ${status} ${JSON.stringify(body)}`,
        );
    }
  }
}
