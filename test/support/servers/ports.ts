import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections (Linux from 32768, most others from
 * 49152), so that no client's connection takes a port between its choice and its use.
 */
const LOWEST = 12_000;
const HIGHEST = 32_000;

/**
 * So many of Jest's workers choose among ports of their own: a port is free between its choice and
 * its use, and whenever what uses it is killed.
 */
const WORKERS_MAX = 8;
const OWN_PORTS = Math.floor((HIGHEST - LOWEST) / WORKERS_MAX);
const own = (Number(process.env.JEST_WORKER_ID) || 0) % WORKERS_MAX;

/** Each port is given out once in a test file. */
const chosen = new Set<number>();

function bindable(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server
      .once('error', () => {
        resolve(false);
      })
      .listen({ port, exclusive: true }, () => {
        server.close(() => {
          resolve(true);
        });
      });
  });
}

/** Ports that were free a moment ago, on loopback and beyond it, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = LOWEST + own * OWN_PORTS + randomInt(OWN_PORTS);
    if (chosen.has(port)) {
      continue;
    }
    chosen.add(port);
    if (await bindable(port)) {
      ports.push(port);
    }
  }
  return ports;
}

/** The question of Erlang's port mapper for all names that it knows. */
const NAMES = Buffer.from([0, 1, 110]);

/** Returns whether Erlang's port mapper answers at a host and port. */
export function mapperAnswers(at: string): Promise<boolean> {
  const { hostname, port } = new URL(`tcp://${at}`);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    const answer = (whether: boolean) => {
      socket.destroy();
      resolve(whether);
    };
    socket.once('connect', () => socket.write(NAMES));
    socket.once('data', () => {
      answer(true);
    });
    for (const end of ['error', 'close'])
      socket.once(end, () => {
        answer(false);
      });
  });
}
