import type { Ending } from '../command';

/**
 * An ending as the table of outcomes keeps it: its result stands in it as JSON, not as a text that
 * would be escaped in every place.
 */
export function endingText(ending: Ending): string {
  return ending.status === 'failed'
    ? JSON.stringify(ending)
    : `{"status":"succeeded","created":${ending.created},"result":${ending.result ?? 'null'}}`;
}

/** The ending that was kept. Its result is byte for byte as it was. */
export function endingOf(text: string): Ending {
  const ending = JSON.parse(text) as
    | Exclude<Ending, { status: 'succeeded' }>
    | { status: 'succeeded'; created: boolean; result: object | string | null };
  if (ending.status === 'failed') return ending;
  const { result } = ending;
  // A text in outcomes that were written before results stood in them as JSON.
  return {
    ...ending,
    result: typeof result === 'object' && result !== null ? JSON.stringify(result) : result,
  };
}
