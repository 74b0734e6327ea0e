import { Editor } from '../support/clients/editor';
import { startServers, type System } from '../support/service/processes';
import { audit } from '../support/check/storm-check';
import { waitUntil } from '../support/wait';

const TITLES = 8;
/** Renamings of each title between two changes. */
const RENAMINGS_BETWEEN = 40;
/**
 * Longest time for which a title may stand still when its worker dies or leaves, milliseconds; on a
 * quiet machine it is a fraction of a second.
 */
const PAUSE_MS = 10_000;

describe('partitions that move from worker to worker under load', () => {
  let system: System;
  let editor: Editor;
  let titles: number[];
  /**
   * What each title's renamings were promised as, in order, and how many of all titles have ended.
   */
  const promises = new Map<number, string[]>();
  let ended = 0;
  let longestPauseMs = 0;
  let stopping = false;
  let clients: Promise<unknown> = Promise.resolve();

  /** Renames one title again and again without waiting for the ends. */
  const rename = async (title: number) => {
    const mine: string[] = [];
    promises.set(title, mine);
    while (!stopping) mine.push(await editor.rename(title));
  };

  /** Renames one title again and again, each time after the last one has ended. */
  const renameAndWait = async (title: number) => {
    while (!stopping) {
      const start = performance.now();
      await editor.ended(await editor.rename(title));
      longestPauseMs = Math.max(longestPauseMs, performance.now() - start);
      ended += 1;
    }
  };

  const moreRenamings = async () => {
    const until = ended + TITLES * RENAMINGS_BETWEEN;
    await waitUntil('more renamings', 120_000, () => ended >= until);
  };

  beforeAll(async () => {
    system = await startServers();
    editor = new Editor(system.apis[0]?.url ?? '', system.env.JWT_SECRET ?? '');
    titles = await editor.register(2 * TITLES);
    clients = Promise.all([
      ...titles.slice(0, TITLES).map(rename),
      ...titles.slice(TITLES).map(renameAndWait),
    ]);
    await moreRenamings();
  }, 180_000);

  it('pause only briefly when workers start, are killed, and stop', async () => {
    const [first] = system.workers;
    longestPauseMs = 0;
    const second = await system.addWorker();
    await moreRenamings();
    const third = await system.addWorker();
    await moreRenamings();
    await second.kill();
    await moreRenamings();
    expect(await first?.stop()).toEqual({ code: 0, signal: null });
    await moreRenamings();
    expect(third.child.running).toBe(true);
    expect(longestPauseMs).toBeLessThan(PAUSE_MS);
  }, 500_000);

  it('no command of a title overtakes another, is lost or runs twice', async () => {
    stopping = true;
    await clients;
    for (const [title, mine] of promises) {
      expect(mine.length).toBeGreaterThan(RENAMINGS_BETWEEN);
      expect([title, await editor.versions(mine)]).toEqual([
        title,
        mine.map((_, index) => index + 2),
      ]);
    }
    await audit(system.env);
  }, 500_000);
});
