import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Clients that send what costs a careless server most, and read nothing of the answers. */

export interface Attack {
  /** Requests that were written. */
  readonly sent: number;
  stop(): void;
}

/** A body, and the path that it is posted to. */
export interface Hostile {
  readonly path: string;
  readonly body: string;
}

/** Pause between two requests of one connection, milliseconds. */
const PAUSE_MS = 50;

function requestText({ path, body }: Hostile): string {
  return `POST ${path} HTTP/1.1\r\nHost: attacked\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/**
 * Sends the bodies over and over, from so many connections; one that is closed is opened again.
 */
export function startAttack(url: string, bodies: readonly Hostile[], connections: number): Attack {
  const { hostname, port } = new URL(url);
  const requests = bodies.map(requestText);
  let sent = 0;
  const stopped = new AbortController();
  const isOver = () => stopped.signal.aborted;
  const sockets = new Set<Socket>();
  const run = async (first: number) => {
    for (let next = first; !isOver();) {
      const socket = connect(Number(port), hostname).pause();
      sockets.add(socket);
      socket.on('error', () => undefined);
      while (!isOver() && socket.writable) {
        // A server that takes no more is not waited for: that is what the attack is about.
        if (socket.writableLength === 0) {
          socket.write(requests[next % requests.length] ?? '');
          next += 1;
          sent += 1;
        }
        await pause(PAUSE_MS);
      }
      sockets.delete(socket);
      socket.destroy();
    }
  };
  for (let index = 0; index < connections; index += 1) void run(index);
  return {
    get sent() {
      return sent;
    },
    stop() {
      stopped.abort();
      for (const socket of sockets) socket.destroy();
    },
  };
}
