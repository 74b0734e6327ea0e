import type { ApiService } from '../service';
import { lendingEventSchemas } from './event-schemas';
import { lendingExport } from './export';
import { lendingEndpoints } from './routes';
import { borrow, borrowCheck, hold } from './borrow-schemas';
import { addedCopies, bookInfo, copy } from './title-schemas';

export const lendingService: ApiService = {
  endpoints: lendingEndpoints,
  results: [bookInfo, addedCopies, copy, borrow, borrowCheck, hold],
  events: lendingEventSchemas,
  exportParts: lendingExport,
};
