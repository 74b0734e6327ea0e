/**
 * Returns how many samples of a kind a test tries: `npm test` takes `few`, every other run all of
 * them. `test/support/run/run.ts` says which.
 */
export const amount = (few: number, all: number): number =>
  process.env.TEST_AMOUNT === 'few' ? few : all;

/** Returns the one of several ways that `npm test` tries; every other run tries all of them. */
export const sampleOf = <Way>(all: readonly Way[], one: Way): readonly Way[] =>
  process.env.TEST_AMOUNT === 'few' ? [one] : all;
