/**
 * Returns how many samples of a kind a test tries: `npm test` takes `few`, every other run all of
 * them. `test/support/run/run.ts` says which.
 */
export const amount = (few: number, all: number): number =>
  process.env.TEST_AMOUNT === 'few' ? few : all;
