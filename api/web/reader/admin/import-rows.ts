import { isWorthRepeating, problemOf, saidFaults, saidToOperator } from '../../shared/problem';
import { LONG_WAIT_S, newIntent, optionsOf, written, type Intent } from '../../shared/write';
import type { BookRow } from './book-rows';
import { registerBook, type NewBook } from './writes';

/**
 * How often a row is tried, and the pause between two tries, milliseconds: longer than the minute
 * for which a client has had too many requests.
 */
const TRIES = 15;
const TRY_PAUSE_MS = 5000;

export interface ImportState {
  readonly total: number;
  readonly registered: number;
  readonly there: number;
  readonly refused: readonly { readonly line: number; readonly why: string }[];
}

type Outcome = 'registered' | 'there' | { readonly why: string };

/** Sends the same until the service takes it. */
async function register(intent: Intent<NewBook>): Promise<void> {
  for (let left = TRIES; ; left -= 1) {
    try {
      await written(registerBook(intent.input, optionsOf(intent, LONG_WAIT_S)));
      return;
    } catch (error) {
      if (left <= 1 || !isWorthRepeating(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, TRY_PAUSE_MS));
    }
  }
}

async function importRow(row: BookRow): Promise<Outcome> {
  if ('fault' in row) return { why: row.fault };
  try {
    await register(newIntent(row.book));
    return 'registered';
  } catch (error) {
    const problem = problemOf(error);
    if (problem?.code === 'ISBN_ALREADY_REGISTERED') return 'there';
    if (problem?.status === 400)
      return { why: saidFaults(problem).join('; ') || saidToOperator(problem) };
    throw error;
  }
}

/**
 * Registers the rows one after the other, so that the first of two with the same ISBN counts, and
 * tells how far it is. What is no row's fault ends it.
 */
export async function importRows(
  rows: readonly BookRow[],
  tell: (state: ImportState) => void,
): Promise<void> {
  let state: ImportState = { total: rows.length, registered: 0, there: 0, refused: [] };
  tell(state);
  for (const row of rows) {
    const outcome = await importRow(row);
    if (typeof outcome === 'string') state = { ...state, [outcome]: state[outcome] + 1 };
    else state = { ...state, refused: [...state.refused, { line: row.line, why: outcome.why }] };
    tell(state);
  }
}
