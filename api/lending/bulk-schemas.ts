import type { BookInfoView, BorrowView } from '../../shared/lending/views';
import { problem } from '../openapi/problems';
import { arrayOf, id, nullable, object, oneOf, text, type Schema } from '../openapi/schema';
import { borrow, borrowed } from './borrow-schemas';
import { bookInfo, dune } from './title-schemas';

/** What many operations of one request came to, for the document. */

interface ItemResult<View> {
  readonly status: 'queued' | 'succeeded' | 'failed';
  readonly httpStatus: number | null;
  readonly result: View | null;
  readonly problem: unknown;
  readonly commandId: string | null;
  readonly statusUrl: string | null;
}

/** `name`: what the schemas are called in the document, before `Result` and `Results`. */
function results<View>(name: string, view: Schema<View>, example: View) {
  const result = object<ItemResult<View>>(
    `${name}Result`,
    {
      status: oneOf(['queued', 'succeeded', 'failed']),
      httpStatus: nullable(id),
      result: nullable(view),
      problem: nullable<unknown>(problem),
      commandId: nullable(text),
      statusUrl: nullable(text),
    },
    {
      ...{ status: 'succeeded', httpStatus: 201, result: example, problem: null },
      ...{ commandId: '01a2101d07ee…', statusUrl: '/api/commands/01a2101d07ee…' },
    },
  );
  return object<{ readonly items: readonly ItemResult<View>[] }>(`${name}Results`, {
    items: arrayOf(result),
  });
}

export const borrowResults = results<BorrowView>('Borrow', borrow, borrowed);
export const titleResults = results<BookInfoView>('BookInfo', bookInfo, dune);
