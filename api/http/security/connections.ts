import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { Logger } from '../../../shared/logger';
import { connectionsRefused } from '../../metrics';
import { openFilesMax } from './open-files';

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
/** How often it is logged that connections are closed, milliseconds. */
const WARN_MS = 60_000;
/** Files that a program opens beside its clients' connections. */
const OTHER_FILES = 200;

const isLoopback = (address: string): boolean =>
  isIP(address) === 0 || /^(?:::1$|(?:::ffff:)?127\.)/.test(address);

/** Applies the limits to the connections of a server. What they close is counted and logged. */
export function limitConnections(
  server: Server,
  { max: wanted, maxPerAddress }: ConnectionLimits,
  logger: Logger,
  unreadMs = UNREAD_MS,
): void {
  const max = Math.min(wanted, openFilesMax() - OTHER_FILES);
  if (max < wanted)
    logger.warn(
      { wanted, max },
      'the limit of open files (ulimit -n) allows fewer connections than API_CONNECTIONS_MAX',
    );
  const refused = refusalsOf(logger, { max, maxPerAddress });
  server.maxConnections = max;
  server.on('drop', () => {
    refused('API_CONNECTIONS_MAX');
  });
  if (maxPerAddress > 0) limitPerAddress(server, maxPerAddress, refused);
  endUnread(server, unreadMs);
}

/** Named by its setting. */
type Limit = 'API_CONNECTIONS_MAX' | 'API_CONNECTIONS_PER_ADDRESS';

function refusalsOf(logger: Logger, limits: ConnectionLimits): (limit: Limit) => void {
  let nextWarning = 0;
  return (limit) => {
    connectionsRefused.inc({ limit });
    if (performance.now() < nextWarning) return;
    nextWarning = performance.now() + WARN_MS;
    logger.warn({ limit, ...limits }, 'connections are closed at once because too many are open');
  };
}

function limitPerAddress(server: Server, most: number, refused: (limit: Limit) => void): void {
  const counts = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress: address = '' } = socket;
    if (isLoopback(address)) return;
    const count = (counts.get(address) ?? 0) + 1;
    if (count > most) {
      refused('API_CONNECTIONS_PER_ADDRESS');
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
