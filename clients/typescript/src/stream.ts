import { StreamReplaced } from './errors.ts';
import { backoffMs, pause } from './pause.ts';
import { problemIn, Refusal } from './refusal.ts';
import { retryAfterMs, type Transport } from './transport.ts';

/** Server-sent events that continue when their connection breaks. */

/** A server-sent event. */
export interface StreamMessage {
  readonly event: string;
  readonly data: string;
  /** Empty until a message had one. */
  readonly id: string;
}

/** Where a stream goes on, and who is told of its connections. */
export interface StreamOptions {
  /** Continues after the message with this id. */
  readonly lastEventId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called when the stream is open, also after each time that it broke. */
  readonly onOpen?: (() => void) | undefined;
  /** Called when the stream broke or was not opened. It will be tried again. */
  readonly onLost?: ((error: unknown) => void) | undefined;
}

/** The service sends something every 15 s. A connection that is silent for longer is dead. */
const SILENCE_MS = 45_000;
/** A refusal with one of these may succeed the next time. */
const LATER: readonly number[] = [429, 500, 502, 503, 504];

/** Makes messages of the text of a stream (WHATWG HTML, section 9.2). */
class MessageParser {
  private rest = '';
  private fields = { event: '', data: [] as string[] };
  private id: string;

  constructor(lastEventId = '') {
    this.id = lastEventId;
  }

  feed(text: string): StreamMessage[] {
    const lines = (this.rest + text).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.take(line));
  }

  private take(line: string): StreamMessage[] {
    if (line === '') {
      const { event, data } = this.fields;
      this.fields = { event: '', data: [] };
      return data.length > 0
        ? [{ event: event || 'message', data: data.join('\n'), id: this.id }]
        : [];
    }
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (name === 'data') this.fields.data.push(value);
    else if (name === 'event') this.fields.event = value;
    else if (name === 'id') this.id = value;
    return [];
  }
}

interface Connection {
  readonly signal?: AbortSignal | undefined;
  readonly lastEventId: string;
  readonly onOpen?: (() => void) | undefined;
}

/** Yields the messages of one connection, until it ends. */
async function* connection(
  transport: Transport,
  url: string,
  { signal, lastEventId, onOpen }: Connection,
): AsyncGenerator<StreamMessage, void, undefined> {
  const over = new AbortController();
  const silent = () => {
    over.abort(new Error('The stream is silent.'));
  };
  let timer = setTimeout(silent, SILENCE_MS);
  try {
    const headers = {
      Accept: 'text/event-stream',
      ...(lastEventId !== '' && { 'Last-Event-ID': lastEventId }),
    };
    const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
    const response = await transport.open(url, { method: 'GET', headers }, either);
    if (!response.ok || !response.body) {
      const { status, headers: answered } = response;
      throw new Unopened(await response.text(), status, answered);
    }
    onOpen?.();
    const parser = new MessageParser(lastEventId);
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      clearTimeout(timer);
      yield* parser.feed(decoder.decode(part.value, { stream: true }));
      timer = setTimeout(silent, SILENCE_MS);
    }
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

/** The service did not open the stream. */
class Unopened extends Error {
  constructor(
    readonly text: string,
    readonly status: number,
    readonly headers: Headers,
  ) {
    super(`The stream was answered ${status}.`);
  }
}

/** @throws errors that a retry cannot repair. */
function rejectFinal(error: unknown, signal?: AbortSignal): void {
  signal?.throwIfAborted();
  if (error instanceof StreamReplaced) throw error;
  if (!(error instanceof Unopened) || LATER.includes(error.status)) return;
  const problem = problemIn(error);
  throw problem ? new Refusal(problem) : error;
}

export async function* messagesOf(
  transport: Transport,
  url: string,
  { lastEventId = '', signal, onOpen, onLost }: StreamOptions,
): AsyncGenerator<StreamMessage, void, undefined> {
  let last = lastEventId;
  for (let failures = 0; ; failures += 1) {
    let error: unknown = new Error('The service has ended the stream.');
    try {
      for await (const message of connection(transport, url, {
        signal,
        lastEventId: last,
        onOpen,
      })) {
        // Two clients would replace each other for ever.
        if (message.event === 'replaced') throw new StreamReplaced();
        failures = 0;
        last = message.id;
        yield message;
      }
    } catch (reason) {
      error = reason;
    }
    rejectFinal(error, signal);
    onLost?.(error);
    const askedMs = error instanceof Unopened ? retryAfterMs(error.headers) : 0;
    await pause(backoffMs(failures, askedMs), signal);
  }
}
