/** Items on a page of the console's lists. */
export const SIZE_DEFAULT = 20;
export const SIZE_MAX = 100;
/** Longest aggregate key, characters. */
export const AGGREGATE_LENGTH_MAX = 600;
