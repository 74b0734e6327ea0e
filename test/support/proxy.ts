import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { onCleanUp } from './cleanup';

/**
 * A TCP proxy on loopback in front of a server, through which a test breaks the network: the server itself goes on
 * for everybody else.
 *
 * - open: bytes pass
 * - cut: present connections are reset, new ones are refused
 * - stalled: connections stay and are accepted, but no byte passes, as when a cable is pulled
 */
export interface Proxy {
  /** The server's URL with the proxy's address in it. */
  readonly url: string;
  cut(): void;
  stall(): void;
  open(): void;
}

/** Made for each connection; gets what the server sends, and returns what is passed on. */
export type Filter = () => (bytes: Buffer) => Buffer;

type State = 'open' | 'cut' | 'stalled';

export async function startProxy(serverUrl: string, defaultPort: number, filter: Filter = () => (bytes) => bytes): Promise<Proxy> {
  const { hostname, port } = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let state: State = 'open';
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true).on('error', () => undefined).on('close', () => sockets.delete(socket));
    if (state === 'stalled') socket.pause();
  };
  const server = createServer((client) => {
    if (state === 'cut') {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(Number(port || defaultPort), hostname);
    keep(client);
    keep(upstream);
    join(client, upstream, (bytes) => bytes);
    join(upstream, client, filter());
    if (state === 'stalled') [client, upstream].forEach((socket) => socket.pause());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const cut = () => {
    state = 'cut';
    for (const socket of sockets) socket.resetAndDestroy();
  };
  onCleanUp(async () => {
    cut();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cut,
    stall: () => {
      state = 'stalled';
      for (const socket of sockets) socket.pause();
    },
    open: () => {
      state = 'open';
      for (const socket of sockets) socket.resume();
    },
  };
}

/** Passes bytes on from one socket to the other, and its end. */
function join(from: Socket, to: Socket, passedOn: (bytes: Buffer) => Buffer): void {
  from.on('data', (bytes) => {
    if (!to.write(passedOn(bytes))) {
      from.pause();
      to.once('drain', () => from.resume());
    }
  });
  from.on('end', () => to.end());
  from.on('close', () => to.destroy());
}
