import type { ApiService } from '../service';
import { lendingEventSchemas } from './event-schemas';
import { lendingExport } from './export';
import { lendingEndpoints } from './routes';
import { addedCopies, bookInfo, borrow, borrowCheck, copy, hold } from './schemas';

export const lendingService: ApiService = {
  endpoints: lendingEndpoints,
  results: [bookInfo, addedCopies, copy, borrow, borrowCheck, hold],
  events: lendingEventSchemas,
  exportParts: lendingExport,
};
