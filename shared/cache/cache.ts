/**
 * The interface of the Redis cache and of the in-process cache.
 * A view is the JSON text that a client gets. It is stored under the version that its subject had
 * when the load began. A worker that has committed a change bumps that version before it replies. A
 * reader that loaded older rows therefore stores them under a version that nobody reads any more.
 * Versions are random tokens and never repeat, so an evicted version cannot bring old views back.
 */
export interface Cache {
  /**
   * Returns the view that is stored under the subject's present version, and that version. Null
   * when the cache is unavailable or late: read the database, and store nothing. When there is no
   * database either, be `patient`: a cache that is late is then waited for, at most
   * `LINK_LEASE_MS`.
   */
  get(
    view: string,
    subject: string,
    wait?: 'patient',
  ): Promise<{ readonly value: string | null; readonly version: string } | null>;
  /**
   * Returns the subject's present version, or null when the cache is unavailable. A process may
   * keep what it loads under that version.
   */
  version(subject: string): Promise<string | null>;
  /**
   * Stores a view under the version that `get` returned before the load began. Never throws: a
   * cache may forget.
   */
  put(view: string, version: string, value: string, ttlMs: number): Promise<void>;
  /**
   * Gives the subjects new versions, so that no view of an old version is served again.
   * @throws when the cache is unavailable: other processes may still serve old views. Callers retry
   * for `LINK_LEASE_MS` and a little longer. By then every process has a new link, unless another
   * process still reaches the cache.
   */
  bump(subjects: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Largest view that is stored, in characters; a larger one is loaded each time. */
export const VIEW_LENGTH_MAX = 256 * 1024;

/**
 * How long a process may use its link to the cache, in milliseconds since it sent the last command
 * that was answered. An older link may serve views from before an invalidation that failed because
 * the cache was unavailable.
 */
export const LINK_LEASE_MS = 2000;

/** The cache cannot be reached. */
export class CacheUnavailable extends Error {
  override readonly name = 'CacheUnavailable';

  constructor(
    message: string,
    /**
     * When the last refused connection attempt began, by `performance.now()`. There was no cache at
     * that moment.
     */
    readonly refusedAt = -Infinity,
  ) {
    super(message);
  }
}

/** How long a version outlives its last bump, milliseconds: longer than any view is kept. */
export const VERSION_KEPT_MS = 24 * 3600 * 1000;
