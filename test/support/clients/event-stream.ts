import { get, type IncomingMessage } from 'node:http';
import { onCleanUp } from '../run/cleanup';
import { waitUntil } from '../wait';

/** A domain event as it arrives: its name, its id and the text of its data. */
export interface StreamedEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: string;
}

/** A stream of server-sent events as it arrives. */
export interface OpenStream {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Everything so far. */
  readonly text: () => string;
  readonly events: () => StreamedEvent[];
  /** Whether the server has ended it. */
  readonly ended: () => boolean;
  close(): void;
}

/** How long the first line may take, milliseconds. */
const OPEN_MS = 20_000;

/** Returns the events of a text; comments are dropped. */
export function eventsOf(text: string): StreamedEvent[] {
  const blocks = text
    .split('\n\n')
    .slice(0, -1)
    .map((block) => block.split('\n'));
  const field = (lines: readonly string[], name: string) =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  return blocks.flatMap((lines) => {
    const data = field(lines, 'data');
    return data === undefined
      ? []
      : [{ id: field(lines, 'id'), event: field(lines, 'event'), data }];
  });
}

/**
 * Opens a stream, and waits until it says that it is open, or has ended with an answer that is
 * none.
 */
export async function openStream(
  url: string,
  token?: string,
  more: Readonly<Record<string, string>> = {},
): Promise<OpenStream> {
  const headers = { ...more, ...(token !== undefined && { Authorization: `Bearer ${token}` }) };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers, agent: false }, resolve).on('error', reject);
  });
  let text = '';
  let ended = false;
  response.setEncoding('utf8').on('data', (part: string) => (text += part));
  response.on('error', () => undefined).on('close', () => (ended = true));
  const close = () => {
    response.destroy();
  };
  onCleanUp(() => {
    close();
    return Promise.resolve();
  });
  await waitUntil('the stream is open', OPEN_MS, () => text.includes(': open\n\n') || ended);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: () => text,
    events: () => eventsOf(text),
    ended: () => ended,
    close,
  };
}
