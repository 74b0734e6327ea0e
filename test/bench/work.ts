import { HOT_TITLE, READERS, SCARCE_TITLE } from './library';
import type { Requests, Sent } from './load';
import { wanted } from './popularity';

/** What the clients ask for. Each borrow is of another reader, so that none is refused for having the book already. */

export type Work = (tokens: readonly string[]) => Requests;

/** Numbers readers all over the benchmark, and makes the same chances in every run. */
function readers(tokens: readonly string[]): () => string {
  let last = 0;
  return () => tokens[(last += 1) % READERS] ?? '';
}

function chances(): () => number {
  let state = 1;
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    const mixed = Math.imul(state ^ (state >>> 13), 0x297a2d39);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}

const post = (path: string, token: string, bookInfoId: number): Sent => ({ method: 'POST', path, token, body: { bookInfoId } });

export const hotBook: Work = (tokens) => {
  const reader = readers(tokens);
  return () => [() => post('/api/borrows', reader(), HOT_TITLE)];
};

export const scarceBook: Work = (tokens) => {
  const reader = readers(tokens);
  return () => [() => post('/api/borrows', reader(), SCARCE_TITLE)];
};

/** The hot book, without waiting for the answer. */
export const promisedOfHotBook: Work = (tokens) => {
  const next = hotBook(tokens);
  return () => next().map((sent) => () => ({ ...sent(), prefer: 'respond-async' }));
};

export const byPopularity: Work = (tokens) => {
  const [reader, chance] = [readers(tokens), chances()];
  return () => [() => post('/api/borrows', reader(), wanted(chance()))];
};

/** Each client is a reader who looks at titles, each as often as it is wanted. */
export const reads: Work = (tokens) => {
  const [reader, chance] = [readers(tokens), chances()];
  return () => {
    const token = reader();
    return [() => ({ method: 'GET', path: `/api/book-infos/${wanted(chance())}`, token })];
  };
};

/** Each client borrows a book and brings it back. */
export const borrowAndReturn: Work = (tokens) => {
  const [reader, chance] = [readers(tokens), chances()];
  return () => {
    let [token, title] = ['', 0];
    const borrow = () => {
      [token, title] = [reader(), wanted(chance())];
      return post('/api/borrows', token, title);
    };
    return [borrow, () => post('/api/returns', token, title)];
  };
};
