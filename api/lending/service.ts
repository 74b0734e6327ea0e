import type { LendingCommands } from '../../shared/lending/commands';
import type { ApiService } from '../service';
import { lendingEventSchemas } from './event-schemas';
import { lendingExport } from './export';
import { lendingEndpoints } from './routes';
import { calendarSchema, loanRulesSchema } from './policy-schemas';
import { borrow, borrowCheck, hold } from './borrow-schemas';
import { addedCopies, bookInfo, copy } from './title-schemas';

export const lendingService: ApiService<keyof LendingCommands> = {
  endpoints: lendingEndpoints,
  results: {
    'lending.register-book-info': bookInfo,
    'lending.update-book-info': bookInfo,
    'lending.delete-book-info': null,
    'lending.add-copies': addedCopies,
    'lending.set-copy-status': copy,
    'lending.delete-copy': null,
    'lending.borrow-book': borrow,
    'lending.check-borrow': borrowCheck,
    'lending.return-book': borrow,
    'lending.renew-borrow': borrow,
    'lending.place-hold': hold,
    'lending.cancel-hold': null,
    'lending.set-loan-rules': loanRulesSchema,
    'lending.set-calendar': calendarSchema,
    'lending.expire-hold': null,
    'lending.remind-borrower': null,
  },
  events: lendingEventSchemas,
  exportParts: lendingExport,
};
