import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import { StartError } from '../../shared/config';
import type { Logger } from '../../shared/logger';
import { limitConnections, type ConnectionLimits } from './security/connections';
import { expressClasses } from './express-classes';
import { answerUnreadable } from './requests/unreadable';

/** How long a client may take to send its request headers, and the whole request, milliseconds. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/**
 * How long an unused connection stays open, milliseconds: longer than the usual 60 s of load
 * balancers, or they would reuse a closed one.
 */
const KEEP_ALIVE_MS = 65_000;
/** How often, while closing, connections are looked for that have become idle, milliseconds. */
const IDLE_CHECK_MS = 20;

export interface ListenOptions extends ConnectionLimits {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly logger: Logger;
}

export interface Listening {
  readonly url: string;
  /**
   * Stops accepting requests, waits at most `graceMs` for those under way, then closes their
   * connections.
   */
  close(graceMs: number): Promise<void>;
}

function startError(
  { code, message }: NodeJS.ErrnoException,
  host: string,
  port: number,
): StartError {
  if (code === 'EADDRINUSE')
    return new StartError(
      `Port ${port} on ${host} is in use. Stop the program that uses it, or set API_PORT to another port.`,
    );
  if (code === 'EACCES')
    return new StartError(`Port ${port} needs more rights. Set API_PORT to a port above 1023.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new StartError(`API_HOST "${host}" is not an address of this machine.`);
  }
  return new StartError(`Cannot listen on ${host}, port ${port}: ${message}`);
}

function urlOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  if (address === '::' || address === '0.0.0.0') return `http://localhost:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

async function close(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });
  const idle = setInterval(() => {
    server.closeIdleConnections();
  }, IDLE_CHECK_MS);
  const deadline = setTimeout(() => {
    server.closeAllConnections();
  }, graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(deadline);
}

/**
 * Starts to accept requests.
 * @throws StartError when the port is taken or the host is no address of this machine.
 */
export async function listen(
  app: Express,
  { host, port, logger, ...limits }: ListenOptions,
): Promise<Listening> {
  const timeouts = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  };
  const server = createServer({ ...timeouts, ...expressClasses(app) }, app);
  limitConnections(server, limits, logger);
  await new Promise<void>((resolve, reject) => {
    // The listener stays: later errors are single connections that could not be accepted, and must
    // not end the process.
    server.on('error', (error) => {
      reject(startError(error, host, port));
    });
    server.listen({ host, port }, resolve);
  });
  server.on('clientError', answerUnreadable);
  let closing: Promise<void> | undefined;
  return { url: urlOf(server), close: (graceMs) => (closing ??= close(server, graceMs)) };
}
