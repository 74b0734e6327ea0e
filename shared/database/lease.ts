/**
 * How long a lease of a job lasts unless its worker renews it, seconds. An API tells from it how
 * old a replica is.
 */
export const JOB_LEASE_S = 3;

/**
 * A worker whose last heartbeat is older counts as gone, for other workers as for whoever looks on,
 * seconds.
 */
export const WORKER_ALIVE_S = 5;
