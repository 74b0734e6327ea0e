/**
 * One interface for the Redis cache and the in-process one.
 *
 * A view (the JSON text of what a client gets) is stored together with the version that its subject
 * had when the load began. A worker that has committed a change bumps the version before it
 * replies, so a reader that loaded older rows can only ever store them under a version that nobody
 * asks for any more. Versions are random tokens and never repeat, so a version that was evicted
 * cannot come back with old views under it.
 */
export interface Cache {
  /**
   * The view when it is stored under the subject's present version, and that version.
   * Null when the cache cannot be reached: read the database, and store nothing.
   */
  get(
    view: string,
    subject: string,
  ): Promise<{ readonly value: string | null; readonly version: string } | null>;
  /**
   * The subject's present version; null when the cache cannot be reached. Every process may keep
   * what it loads under that.
   */
  version(subject: string): Promise<string | null>;
  /**
   * Stores a view under the version that `get` returned before the load began. Never throws: a
   * cache may forget.
   */
  put(view: string, version: string, value: string, ttlMs: number): Promise<void>;
  /**
   * Gives the subjects new versions, so that views of their old versions are never served again.
   * @throws when the cache cannot be reached: others may still serve old views. Callers retry for
   * `LINK_LEASE_MS` and a little. By then every process has a new link, unless only a third one
   * reaches the cache.
   */
  bump(subjects: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Largest view that is stored, in characters; a larger one is loaded each time. */
export const VIEW_LENGTH_MAX = 256 * 1024;

/**
 * How long a process may use its link to the cache since the last thing was sent on it that was
 * answered, milliseconds. What it gets on an older link may be from before a change of which the
 * cache was not told because it was unavailable.
 */
export const LINK_LEASE_MS = 2000;

/** The cache cannot be reached. */
export class CacheUnavailable extends Error {
  override readonly name = 'CacheUnavailable';

  constructor(
    message: string,
    /**
     * When, by `performance.now()`, the last try to connect began that was refused; then there was
     * no cache.
     */
    readonly refusedAt = -Infinity,
  ) {
    super(message);
  }
}

/** How long a version outlives its last bump, milliseconds: longer than any view is kept. */
export const VERSION_KEPT_MS = 24 * 3600 * 1000;
