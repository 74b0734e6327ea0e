import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { CacheAway, LEASE_MS, type Cache } from '../../shared/cache/cache';
import type { Outcome } from '../../shared/command';
import { endingOf } from '../../shared/database/ending';
import { subjectsIn } from '../../shared/database/subjects';
import { CommandOutcome } from '../../shared/database/tables';

/**
 * The outcomes of commands, as they may be told. That a command has succeeded may be known before
 * the cache has forgotten what it changed: its outcome is in the database from the COMMIT on, and
 * the worker may not reach the cache, or die before. So whoever tells an outcome that came from
 * anywhere but a worker that has told the cache does it first.
 *
 * A cache that cannot be reached is tried again for as long as others could still be shown views of
 * it. Nobody uses a link on which nothing was answered for `LEASE_MS`, and a new link begins with a
 * new generation. So a cache that has answered nobody for so long is lost to all, and one that
 * began to answer again has by then a new link of this process, and is told.
 */

/**
 * How soon a link is made again to a cache that answers again: more than the longest pause between
 * two tries, milliseconds.
 */
const RELINK_MS = 1500;
/** Pause between two tries to tell the cache, milliseconds. */
const BUMP_PAUSE_MS = 100;
/** Commands that are known to be shown; a longer memory saves nothing but bumps. */
const SHOWN_MAX = 10_000;

/**
 * Resolves when nobody can be shown a view from before the call any more; the limit of that stands
 * at `Cache.bump`.
 */
async function bumpOrOutlast(cache: Cache, subjects: readonly string[]): Promise<void> {
  const begunAt = performance.now();
  for (let failedAt: number | null = null; ;) {
    try {
      await cache.bump(subjects);
      return;
    } catch (error) {
      const now = performance.now();
      failedAt ??= now;
      // Where connections are refused there is no server, and nobody else has a link to it.
      if (error instanceof CacheAway && error.refusedAt > begunAt) return;
      if (now > failedAt + LEASE_MS + RELINK_MS) return;
      await pause(BUMP_PAUSE_MS);
    }
  }
}

export class Outcomes {
  private readonly shown = new LRUCache<string, true>({ max: SHOWN_MAX });

  constructor(private readonly cache: Cache) {}

  /**
   * The stored outcomes of the given commands, which may be told; those that are not carried out
   * yet are missing.
   */
  async find(commandIds: readonly string[]): Promise<Outcome[]> {
    // Not raw: SQLite keeps instants as text, and only the model makes dates of them.
    const rows = await CommandOutcome.findAll({ where: { commandId: [...commandIds] } });
    const outcomes = rows.map((row) => ({
      commandId: row.commandId,
      type: row.type,
      ownerId: row.ownerId,
      requestId: row.requestId,
      createdAt: row.createdAt.getTime(),
      completedAt: row.completedAt.getTime(),
      ending: endingOf(row.ending),
      stale: subjectsIn(row),
    }));
    await this.show(outcomes);
    return outcomes;
  }

  /** Resolves when every read shows what these commands have changed; never rejects. */
  async show(outcomes: readonly Outcome[]): Promise<void> {
    const unseen = outcomes.filter(({ commandId, stale }) => stale && !this.shown.has(commandId));
    if (unseen.length === 0) return;
    await bumpOrOutlast(this.cache, [...new Set(unseen.flatMap(({ stale = [] }) => stale))]);
    for (const { commandId } of unseen) this.shown.set(commandId, true);
  }
}
