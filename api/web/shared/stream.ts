import type { StreamMessage } from '@lendline/client';
import { client } from './client';

/** Server-sent events for as long as somebody looks. */

export interface StreamListener {
  readonly take: (message: StreamMessage) => void;
  /** The stream is open. */
  readonly opened?: () => void;
  /** It is not, and will be tried again, unless it was replaced or refused. */
  readonly lost: (error: unknown) => void;
}

type StreamPath = Parameters<typeof client.stream>[0];

/** Listens, also when the stream breaks, until the function that it returns is called. */
export function listen(
  path: StreamPath,
  query: Readonly<Record<string, string>>,
  { take, opened, lost }: StreamListener,
): () => void {
  const over = new AbortController();
  const { signal } = over;
  const run = async () => {
    const options = { query, signal, onOpen: opened, onLost: lost };
    for await (const message of client.stream(path, options)) take(message);
  };
  run().catch((error: unknown) => {
    if (!signal.aborted) lost(error);
  });
  return () => {
    over.abort();
  };
}
