import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { CacheUnavailable, LINK_LEASE_MS, type Cache } from '../../shared/cache/cache';
import type { Outcome } from '../../shared/command';
import { endingOf } from '../../shared/database/ending';
import { subjectsIn } from '../../shared/database/subjects';
import { CommandOutcome } from '../../shared/database/tables';

/**
 * Reads outcomes that clients may learn. An outcome is in the database from COMMIT on, but its
 * worker may die before it invalidates the cache. So an outcome that did not come from a worker's
 * reply is passed on only after the cache was invalidated here.
 *
 * When the cache is unavailable, this is retried while others could still show its older views. A
 * link without an answer for `LINK_LEASE_MS` is used by nobody, and a new link begins a new
 * generation.
 */

/**
 * How soon a link is made again to a cache that answers again: more than the longest pause between
 * two tries, milliseconds.
 */
const RELINK_MS = 1500;
/** Pause between two tries to invalidate the cache, milliseconds. */
const BUMP_PAUSE_MS = 100;
/** Most commands remembered as visible; more would only save bumps. */
const SHOWN_MAX = 10_000;

/**
 * Resolves when nobody can read a view from before the call any more. `Cache.bump` has the limit.
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
      if (error instanceof CacheUnavailable && error.refusedAt > begunAt) return;
      if (now > failedAt + LINK_LEASE_MS + RELINK_MS) return;
      await pause(BUMP_PAUSE_MS);
    }
  }
}

export class Outcomes {
  private readonly shown = new LRUCache<string, true>({ max: SHOWN_MAX });

  constructor(private readonly cache: Cache) {}

  /**
   * The stored outcomes of the commands, which clients may learn. Those that have not run are
   * missing.
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
