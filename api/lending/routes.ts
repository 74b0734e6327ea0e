import type { Endpoint } from '../http/endpoint';
import { borrowEndpoints } from './borrow-routes';
import { bulkEndpoints } from './bulk-routes';
import { copyEndpoints } from './copy-routes';
import { holdEndpoints } from './hold-routes';
import { policyEndpoints } from './policy-routes';
import { titleReads, type TitleReadsOptions } from './title-reads';
import { titleWrites } from './title-writes';

/** Everything that library lending serves. */

export const lendingEndpoints = (options: TitleReadsOptions): Endpoint[] => [
  ...titleReads(options),
  ...titleWrites,
  ...copyEndpoints,
  ...borrowEndpoints(options.now),
  ...bulkEndpoints,
  ...holdEndpoints,
  ...policyEndpoints(options.cache),
];
