import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { isIP, type Socket } from 'node:net';

/** Bounds of what connections may hold: their number, and how long an answer waits to be read. */
export interface ConnectionLimits {
  /** Most connections in all. */
  readonly max: number;
  /** Most connections of one address, loopback aside; 0 = no limit. */
  readonly maxPerAddress: number;
}

/**
 * How long a connection may stand still while it has something of an answer to take, milliseconds.
 */
const UNREAD_MS = 30_000;

const isLoopback = (address: string): boolean =>
  isIP(address) === 0 || /^(?:::1$|(?:::ffff:)?127\.)/.test(address);

/** Applies the limits to the connections of a server. */
export function limitConnections(
  server: Server,
  { max, maxPerAddress }: ConnectionLimits,
  unreadMs = UNREAD_MS,
): void {
  server.maxConnections = max;
  if (maxPerAddress > 0) limitPerAddress(server, maxPerAddress);
  endUnread(server, unreadMs);
}

function limitPerAddress(server: Server, most: number): void {
  const counts = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress: address = '' } = socket;
    if (isLoopback(address)) return;
    const count = (counts.get(address) ?? 0) + 1;
    if (count > most) {
      socket.destroy();
      return;
    }
    counts.set(address, count);
    socket.once('close', () => {
      const left = (counts.get(address) ?? 1) - 1;
      if (left > 0) counts.set(address, left);
      else counts.delete(address);
    });
  });
}

/**
 * Ends connections on which nothing happens while an answer waits to be read. One that waits for
 * its answer stays: the answer may take long, as may the next event of a stream. Node's own
 * reaction to silence, which ends both, is replaced.
 */
function endUnread(server: Server, unreadMs: number): void {
  const answering = new WeakSet<Socket>();
  server.setTimeout(unreadMs);
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    answering.add(socket);
    response.once('close', () => answering.delete(socket));
  });
  server.on('timeout', (socket: Socket) => {
    if (!answering.has(socket) || socket.writableLength > 0) socket.destroy();
  });
}
