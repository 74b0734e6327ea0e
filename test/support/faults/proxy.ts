import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { onCleanUp } from '../run/cleanup';

/**
 * A TCP proxy on loopback in front of a server. A test breaks the network with it, while others
 * reach the server directly.
 *
 * - open: bytes pass
 * - cut: connections are reset, and new ones refused
 * - stalled: connections stay, but no byte passes, in both directions or one
 *
 * It can hold back one request, found by a text in it, or drop the answer to it.
 */
export interface Proxy {
  /** The server's URL with the proxy's address in it. */
  readonly url: string;
  cut(): void;
  /**
   * Cuts, and nobody listens any more: connections are refused as by a machine that has no such
   * server.
   */
  close(): Promise<void>;
  stall(direction?: Direction): void;
  /** Also lets go what was held back. */
  open(): void;
  /**
   * Holds the next request that contains the text, and what follows it on its connection. Resolves
   * when it has come, with what lets it go and resolves when the answer has been passed on.
   */
  holdBack(text: string): Promise<() => Promise<void>>;
  /**
   * Lets the next request that contains the text through, and no answer to it. Resolves when it has
   * come, with what resets its connection.
   */
  loseAnswer(text: string): Promise<() => void>;
  /** Sends bytes to the server on every connection, as if they came from its client. */
  inject(bytes: Buffer): void;
}

/** Made for each connection; gets what the server sends, and returns what is passed on. */
export type Filter = () => (bytes: Buffer) => Buffer;

export type Direction = 'to server' | 'to client';
type State = 'open' | 'cut' | 'stalled';

/** Both directions of a connection. */
interface Link {
  readonly requests: Pipe;
  readonly answers: Pipe;
}

/** What waits for a request with a text in it. */
interface Trap {
  readonly text: string;
  readonly sprung: (link: Link) => void;
}

export async function startProxy(
  serverUrl: string,
  defaultPort: number,
  filter: Filter = () => (bytes) => bytes,
): Promise<Proxy> {
  const { hostname, port } = new URL(serverUrl);
  const pipes = new Set<Pipe>();
  const traps: Trap[] = [];
  let state: State = 'open';
  let stalled: readonly Direction[] = [];
  const server = createServer((client) => {
    if (state === 'cut') {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(Number(port || defaultPort), hostname);
    const answers = new Pipe('to client', upstream, client, filter());
    const requests = new Pipe('to server', client, upstream, (bytes) => {
      const index = traps.findIndex(({ text }) => bytes.includes(text));
      if (index >= 0) traps.splice(index, 1)[0]?.sprung({ requests, answers });
      return bytes;
    });
    for (const pipe of [requests, answers]) {
      pipes.add(pipe);
      pipe.from.on('close', () => pipes.delete(pipe));
      if (stalled.includes(pipe.direction)) pipe.hold();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const cut = () => {
    state = 'cut';
    for (const { from } of pipes) from.resetAndDestroy();
  };
  const close = async () => {
    cut();
    await new Promise((resolve) => server.close(resolve));
  };
  onCleanUp(close);
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cut,
    close,
    stall: (direction) => {
      state = 'stalled';
      stalled = direction ? [direction] : ['to server', 'to client'];
      for (const pipe of pipes) if (stalled.includes(pipe.direction)) pipe.hold();
    },
    open: () => {
      state = 'open';
      stalled = [];
      for (const pipe of pipes) pipe.release();
    },
    holdBack: (text) =>
      new Promise((resolve) => {
        const sprung = ({ requests, answers }: Link) => {
          requests.hold();
          resolve(async () => {
            const answered = answers.next();
            requests.release();
            await answered;
          });
        };
        traps.push({ text, sprung });
      }),
    loseAnswer: (text) =>
      new Promise((resolve) => {
        const sprung = ({ requests, answers }: Link) => {
          answers.hold();
          resolve(() => {
            for (const { from } of [requests, answers]) from.resetAndDestroy();
          });
        };
        traps.push({ text, sprung });
      }),
    inject: (bytes) => {
      for (const { direction, to } of pipes) if (direction === 'to server') to.write(bytes);
    },
  };
}

/** One direction of a connection: passes bytes on, and the end. */
class Pipe {
  private readonly waiting: Buffer[] = [];
  private held = false;

  constructor(
    readonly direction: Direction,
    readonly from: Socket,
    readonly to: Socket,
    passedOn: (bytes: Buffer) => Buffer,
  ) {
    from.setNoDelay(true).on('error', () => undefined);
    from.on('data', (bytes: Buffer) => {
      const passed = passedOn(bytes);
      if (this.held) this.waiting.push(passed);
      else this.pass(passed);
    });
    from.on('end', () => to.end());
    from.on('close', () => to.destroy());
  }

  hold(): void {
    this.held = true;
    this.from.pause();
  }

  release(): void {
    if (!this.held) return;
    this.held = false;
    for (const bytes of this.waiting.splice(0)) this.pass(bytes);
    this.from.resume();
  }

  /** Resolves when the next bytes have been passed on. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.from.once('data', () => {
        resolve();
      });
    });
  }

  private pass(bytes: Buffer): void {
    if (this.to.write(bytes)) return;
    this.from.pause();
    this.to.once('drain', () => {
      if (!this.held) this.from.resume();
    });
  }
}
