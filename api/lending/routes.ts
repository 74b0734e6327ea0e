import type { LendingCommands } from '../../shared/lending/commands';
import { bookInfoEtag, type BookInfoView } from '../../shared/lending/views';
import type { Endpoint } from '../http/endpoint';
import { borrowEndpoints } from './borrow-routes';
import { holdEndpoints } from './hold-routes';
import { titleReads, type TitleReadsOptions } from './title-reads';
import { titleWrites } from './title-writes';

/** Everything that library lending serves. */

export const lendingEndpoints = (options: TitleReadsOptions): Endpoint[] => [
  ...titleReads(options),
  ...titleWrites,
  ...borrowEndpoints(options.now),
  ...holdEndpoints,
];

/** `Location` of what a command made, from its result. */
export const lendingLocations: Partial<
  Record<keyof LendingCommands, (result: Readonly<Record<string, unknown>>) => string>
> = {
  'lending.register-book-info': ({ bookInfoId }) => `/api/book-infos/${String(bookInfoId)}`,
  'lending.borrow-book': ({ borrowId }) => `/api/borrows/${String(borrowId)}`,
  'lending.place-hold': ({ holdId }) => `/api/holds/${String(holdId)}`,
};

/** ETags of what commands changed, from their results. */
export const lendingEtags: Partial<
  Record<keyof LendingCommands, (result: Readonly<Record<string, unknown>>) => string>
> = {
  'lending.update-book-info': (result) => bookInfoEtag(result as unknown as BookInfoView),
};
