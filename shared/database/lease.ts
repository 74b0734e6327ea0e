/**
 * How long the lease of a leader job lasts unless its worker renews it, seconds. An API uses it to
 * tell how old a replica is.
 */
export const JOB_LEASE_S = 3;

/** A worker counts as gone when its last heartbeat is older than this, seconds. */
export const WORKER_ALIVE_S = 5;
