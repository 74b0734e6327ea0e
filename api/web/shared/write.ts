import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { answered, type Call, type Schemas } from './client';
import { addPromised } from './promised';
import { isWorthRepeating } from './problem';

/**
 * Writes. Each becomes a command of the service, which is carried out once, however often it is
 * sent.
 */

/**
 * How long the service is to wait for the final answer, seconds; then it promises one, and the page
 * goes on.
 */
const WAIT_S = 2;
/** How often a write is sent again by itself when no answer comes. */
const REPEATS = 3;
const REPEAT_PAUSE_MS = 1000;
const KEY_BYTES = 16;

type Promised = Schemas['PromisedCommand'];

export interface WriteHeaders {
  readonly 'Idempotency-Key': string;
  readonly Prefer: string;
}

/** What somebody wants once. Sent again, it is the same command by its key. */
export interface Intent<Input> {
  readonly input: Input;
  readonly key: string;
}

/** `crypto.randomUUID` is missing where a page is served without TLS. */
export const newIntent = <Input>(input: Input): Intent<Input> => ({
  input,
  key: Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join(''),
});

export const headersOf = ({ key }: Intent<unknown>): WriteHeaders => ({
  'Idempotency-Key': key,
  Prefer: `wait=${WAIT_S}`,
});

/**
 * What was made, or null when it is only promised; the promise then stands in the list of what is
 * under way.
 * @throws what `answered` throws
 */
export async function written<Data>(call: Call<Data>): Promise<Exclude<Data, Promised> | null> {
  const { response } = await call;
  const data = await answered(call);
  if (response.status !== 202) return data as Exclude<Data, Promised>;
  addPromised((data as Promised).commandId);
  return null;
}

export type Write<Input, Data> = UseMutationResult<
  Exclude<Data, Promised> | null,
  Error,
  Intent<Input>
>;

interface WriteOptions {
  /** Called when it is done or promised. */
  readonly onDone?: () => void;
}

/** A write that a button or a form starts with `mutate(newIntent(input))`. */
export function useWrite<Input, Data>(
  send: (input: Input, header: WriteHeaders) => Call<Data>,
  { onDone }: WriteOptions = {},
): Write<Input, Data> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (intent: Intent<Input>) => written(send(intent.input, headersOf(intent))),
    networkMode: 'always',
    retry: (failures, error) => failures < REPEATS && isWorthRepeating(error),
    retryDelay: REPEAT_PAUSE_MS,
    onSuccess: () => onDone?.(),
    // It may have changed whatever is shown, and a refusal says that what is shown is old. The
    // button is busy until the new state is there.
    onSettled: () => queries.invalidateQueries(),
  });
}
