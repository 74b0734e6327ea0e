import type { Ending } from '../command';

/**
 * Writes an ending as the table of outcomes keeps it. Its result is embedded as JSON, not as an
 * escaped text.
 */
export function endingText(ending: Ending): string {
  return ending.status === 'failed'
    ? JSON.stringify(ending)
    : `{"status":"succeeded","created":${ending.created},"result":${ending.result ?? 'null'}}`;
}

/** Reads a stored ending. Its result is byte for byte as before. */
export function endingOf(text: string): Ending {
  const ending = JSON.parse(text) as
    | Exclude<Ending, { status: 'succeeded' }>
    | { status: 'succeeded'; created: boolean; result: object | string | null };
  if (ending.status === 'failed') return ending;
  const { result } = ending;
  // A string in outcomes of older releases, which did not embed results as JSON.
  return {
    ...ending,
    result: typeof result === 'object' && result !== null ? JSON.stringify(result) : result,
  };
}
