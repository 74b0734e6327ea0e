import { shownNumber } from './format';

/** A number of things in English. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${shownNumber(count)} ${count === 1 ? one : many}`;
