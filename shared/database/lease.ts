/** How long a lease of a duty lasts unless its worker renews it, seconds. An API tells from it how old a replica is. */
export const LEASE_S = 3;
