import { HOT_TITLE, SCARCE_TITLE } from './library';
import { wanted } from './popularity';
import type { Sent } from './send';

/**
 * What clients ask for: requests in the order in which they are sent, by whichever client is free,
 * each with those that are sent after its answer. Each borrow is of another reader, so that none is
 * refused for having the book already.
 */
export type Work = (tokens: readonly string[]) => readonly (readonly Sent[])[];

/** The same chances in every run. */
function chances(): () => number {
  let state = 1;
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    const mixed = Math.imul(state ^ (state >>> 13), 0x297a2d39);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}

const post = (path: string, token: string, bookInfoId: number): Sent => ({
  method: 'POST',
  path,
  token,
  body: { bookInfoId },
});
const borrow = (token: string, bookInfoId: number): Sent => post('/api/borrows', token, bookInfoId);

export const hotBook: Work = (tokens) => tokens.map((token) => [borrow(token, HOT_TITLE)]);

export const scarceBook: Work = (tokens) => tokens.map((token) => [borrow(token, SCARCE_TITLE)]);

/** The hot book, without waiting for the answer. */
export const promisedOfHotBook: Work = (tokens) =>
  tokens.map((token) => [{ ...borrow(token, HOT_TITLE), prefer: 'respond-async' }]);

export const byPopularity: Work = (tokens) => {
  const chance = chances();
  return tokens.map((token) => [borrow(token, wanted(chance()))]);
};

/** The detail of one book each time, so that it is in the caches. */
export const oneDetail: Work = () => [[{ method: 'GET', path: '/api/book-infos/1' }]];

/** Readers who look at titles, each as often as it is wanted. */
const LOOKING = 1024;

export const reads: Work = (tokens) => {
  const chance = chances();
  return tokens.map((_, index) => [
    {
      method: 'GET',
      path: `/api/book-infos/${wanted(chance())}`,
      token: tokens[index % LOOKING] ?? '',
    },
  ]);
};

/** Books are borrowed, and brought back by whoever has one. */
export const borrowAndReturn: Work = (tokens) => {
  const chance = chances();
  return tokens.map((token) => {
    const title = wanted(chance());
    return [borrow(token, title), post('/api/returns', token, title)];
  });
};
