import {
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
} from '@tanstack/react-query';
import { useEffect, useId } from 'react';
import { Unfinished, type Problem } from '@lendline/client';
import { answered, type CallOptions, type Result } from './client';
import { commandQuery } from './command';
import { addPromised } from './promised';
import { isWorthRepeating, problemOf } from './problem';

/**
 * Writes. Each becomes a command of the service, which is carried out once, however often it is
 * sent.
 */

/**
 * How long the service is to wait for the final answer, seconds; then it promises one, and the page
 * goes on.
 */
const WAIT_S = 2;
/** The longest that the service waits: for an answer that nothing else can replace. */
export const LONG_WAIT_S = 30;
/** How often a write is retried when no answer arrives. */
const REPEATS = 3;
const REPEAT_PAUSE_MS = 1000;
const KEY_BYTES = 16;

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

export const optionsOf = ({ key }: Intent<unknown>, waitS: number = WAIT_S): CallOptions => ({
  idempotencyKey: key,
  wait: waitS,
});

/** The service will carry out this command. */
export class Promised {
  constructor(readonly commandId: string) {}
}

/**
 * What was made, or the promise of it, which then stands in the list of what is under way.
 * @throws what `answered` throws
 */
export async function written<Data>(
  call: Promise<Result<Data, unknown>>,
): Promise<Data | Promised> {
  try {
    return await answered(call);
  } catch (error) {
    if (!(error instanceof Unfinished)) throw error;
    addPromised(error.commandId);
    return new Promised(error.commandId);
  }
}

/** `data` is null where what was wanted is so already. */
export type Write<Input, Data> = UseMutationResult<Data | null, Error, Intent<Input>>;

interface WriteOptions<Input> {
  /** Called when it is done. */
  readonly onDone?: () => void;
  /** Whether the refusal says that what was wanted is so already, which is a success. */
  readonly isSo?: (problem: Problem, input: Input) => boolean;
  /** How long the service is to wait for the final answer, seconds. */
  readonly waitS?: number;
}

/**
 * A write that a button or a form starts with `mutate(newIntent(input))`. One that is started while
 * another of the same is under way follows it.
 */
export function useWrite<Input, Data>(
  send: (input: Input, options: CallOptions) => Promise<Result<Data, unknown>>,
  { onDone, isSo, waitS }: WriteOptions<Input> = {},
): Write<Input, Data> {
  const queries = useQueryClient();
  const write = useMutation<Data | Promised | null, Error, Intent<Input>>({
    scope: { id: useId() },
    mutationFn: (intent) =>
      written(send(intent.input, optionsOf(intent, waitS))).catch((error: unknown) => {
        const problem = problemOf(error);
        if (problem && isSo?.(problem, intent.input)) return null;
        throw error;
      }),
    networkMode: 'always',
    retry: (failures, error) => failures < REPEATS && isWorthRepeating(error),
    retryDelay: REPEAT_PAUSE_MS,
    onSuccess: (made) => {
      if (!(made instanceof Promised)) onDone?.();
    },
    // It may have changed whatever is shown, and a refusal says that what is shown is old. The
    // button is busy until the new state is there.
    onSettled: () => queries.invalidateQueries(),
  });
  return useKeptPromise(write, onDone);
}

/** A promised write is pending until its command has ended. */
function useKeptPromise<Input, Data>(
  write: UseMutationResult<Data | Promised | null, Error, Intent<Input>>,
  onDone: (() => void) | undefined,
): Write<Input, Data> {
  const queries = useQueryClient();
  const commandId = write.data instanceof Promised ? write.data.commandId : null;
  const command = useQuery({
    ...commandQuery(commandId ?? '', queries),
    enabled: commandId !== null,
  });
  const isDone = commandId !== null && command.data?.status === 'succeeded';
  // Once for each command.
  useEffect(() => {
    if (isDone) onDone?.();
  }, [isDone, commandId]);
  if (commandId === null) return write as Write<Input, Data>;
  return {
    ...write,
    data: isDone ? (command.data?.result ?? null) : undefined,
    isPending: !command.isError && (command.data?.status ?? 'queued') === 'queued',
    isSuccess: isDone,
  } as Write<Input, Data>;
}
