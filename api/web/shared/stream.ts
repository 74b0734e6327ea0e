import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { Refused, type Problem } from './problem';
import { currentSession, endSession } from './session';

/**
 * Server-sent events with the token of the session, which the browser's own `EventSource` cannot
 * send.
 */

/** Pause before a stream that has ended is opened again, milliseconds. */
const AGAIN_MS = 1500;
const DECODER_LABEL = 'utf-8';

/** The last event of a stream whose place another one of the same token took. */
const REPLACED = 'replaced';

/** The stream goes on in another window. */
export class StreamReplaced extends Error {
  override readonly name = 'StreamReplaced';
}

export interface StreamListener {
  readonly take: (event: EventSourceMessage) => void;
  /** The stream is open. */
  readonly opened: () => void;
  /** It is not, and will be tried again, unless it was replaced. */
  readonly lost: (error: unknown) => void;
}

async function readOnce(
  path: string,
  { take, opened }: StreamListener,
  signal: AbortSignal,
): Promise<void> {
  const { token } = currentSession();
  const response = await fetch(path, {
    headers: token === null ? {} : { Authorization: `Bearer ${token}` },
    signal,
  });
  if (!response.ok || !response.body) {
    if (response.status === 401 && token !== null) endSession(token);
    throw new Refused((await response.json()) as Problem);
  }
  opened();
  const parser = createParser({
    onEvent: (event) => {
      if (event.event === REPLACED) throw new StreamReplaced();
      take(event);
    },
  });
  const reader = response.body.pipeThrough(new TextDecoderStream(DECODER_LABEL)).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read())
    parser.feed(part.value);
}

/**
 * Listens, and again whenever the stream has ended, until the function that it returns is called.
 */
export function listen(path: string, listener: StreamListener): () => void {
  const over = new AbortController();
  const { signal } = over;
  const isOver = () => signal.aborted;
  const run = async () => {
    while (!isOver()) {
      const error: unknown = await readOnce(path, listener, signal).catch(
        (reason: unknown) => reason,
      );
      if (isOver()) return;
      listener.lost(error);
      // Two windows would take the place from each other for ever.
      if (error instanceof StreamReplaced) return;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  };
  void run();
  return () => {
    over.abort();
  };
}
