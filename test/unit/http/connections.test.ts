import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { pino } from 'pino';
import { limitConnections } from '../../../api/http/security/connections';
import { openFilesMax } from '../../../api/http/security/open-files';
import { connectionsRefused } from '../../../api/metrics';
import { waitUntil } from '../../support/wait';

/** What connections may hold, on a server of Node's own. */

const UNREAD_MS = 200;
const SOON_MS = 20_000;
const servers: Server[] = [];
const clients: Socket[] = [];
const warnings: unknown[] = [];
const logger = pino({ base: null }, { write: (line: string) => warnings.push(JSON.parse(line)) });

/** How often a limit has closed connections. */
async function refusals(limit: string): Promise<number> {
  const { values } = await connectionsRefused.get();
  return values.find(({ labels }) => labels.limit === limit)?.value ?? 0;
}

async function serve(
  listener: RequestListener,
  limits: { max?: number; maxPerAddress?: number } = {},
): Promise<Server> {
  const server = createServer(listener);
  servers.push(server);
  limitConnections(server, { max: 100, maxPerAddress: 0, ...limits }, logger, UNREAD_MS);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

afterAll(() => {
  // One that reads nothing does not notice its end, either.
  for (const client of clients) client.destroy();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** Sends a request and reads nothing. */
function ask(server: Server) {
  const socket = Object.assign(connect((server.address() as AddressInfo).port, '127.0.0.1'), {
    gone: false,
  });
  clients.push(socket);
  socket.on('error', () => undefined);
  socket.on('close', () => (socket.gone = true));
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  return socket;
}

const openConnections = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.getConnections((_error, count) => {
      resolve(count);
    });
  });

describe('connections', () => {
  it('end when their answer is not read', async () => {
    const server = await serve((_request, response) =>
      response.end(Buffer.alloc(32 * 1024 * 1024)),
    );
    ask(server);
    await waitUntil('it is open', SOON_MS, async () => (await openConnections(server)) === 1);
    await waitUntil('it has ended', SOON_MS, async () => (await openConnections(server)) === 0);
  });

  it('may stand still for 30 s unless told otherwise', () => {
    const server = createServer();
    limitConnections(server, { max: 100, maxPerAddress: 0 }, logger);
    expect(server.timeout).toBe(30_000);
  });

  it('stay while their answer is not there yet, and take it then', async () => {
    const server = await serve((_request, response) =>
      setTimeout(() => response.end('late'), 5 * UNREAD_MS),
    );
    const socket = ask(server).resume();
    let received = '';
    socket.on('data', (bytes: Buffer) => (received += bytes.toString()));
    await waitUntil('it is answered', SOON_MS, () => received.endsWith('late'));
  });

  it('end when they are not used any more', async () => {
    const server = await serve((_request, response) => response.end('ok'));
    server.keepAliveTimeout = UNREAD_MS;
    const socket = ask(server);
    socket.resume();
    await waitUntil('it has ended', SOON_MS, () => socket.gone);
  });

  it('are so many of one address, and no more', async () => {
    const before = await refusals('API_CONNECTIONS_PER_ADDRESS');
    const server = await serve(() => undefined, { maxPerAddress: 3 });
    server.prependListener('connection', (socket: Socket) =>
      Object.defineProperty(socket, 'remoteAddress', { value: '192.0.2.7' }),
    );
    const sockets = Array.from({ length: 5 }, () => ask(server).resume());
    await waitUntil(
      'two were closed',
      SOON_MS,
      () => sockets.filter(({ gone }) => gone).length === 2,
    );
    expect((await refusals('API_CONNECTIONS_PER_ADDRESS')) - before).toBe(2);
    sockets.find(({ gone }) => !gone)?.destroy();
    await waitUntil('there is room', SOON_MS, async () => (await openConnections(server)) === 2);
    const next = ask(server).resume();
    await waitUntil(
      'the next is taken',
      SOON_MS,
      async () => (await openConnections(server)) === 3 && !next.gone,
    );
  });

  it('are not counted by address on loopback', async () => {
    const server = await serve(() => undefined, { maxPerAddress: 1 });
    ask(server);
    ask(server);
    await waitUntil('both are taken', SOON_MS, async () => (await openConnections(server)) === 2);
  });

  it('are so many in all, and no more, which is counted and logged once a minute', async () => {
    const before = await refusals('API_CONNECTIONS_MAX');
    warnings.length = 0;
    const server = await serve(() => undefined, { max: 2 });
    const sockets = Array.from({ length: 4 }, () => ask(server).resume());
    await waitUntil(
      'two were closed',
      SOON_MS,
      () => sockets.filter(({ gone }) => gone).length === 2,
    );
    expect((await refusals('API_CONNECTIONS_MAX')) - before).toBe(2);
    expect(warnings).toEqual([
      expect.objectContaining({ limit: 'API_CONNECTIONS_MAX', max: 2, maxPerAddress: 0 }),
    ]);
  });

  it('are no more than the files that the program may open, which is logged', async () => {
    warnings.length = 0;
    const server = await serve(() => undefined, { max: Number.MAX_SAFE_INTEGER });
    const files = openFilesMax();
    expect(server.maxConnections).toBeLessThan(files);
    expect(warnings).toEqual([
      expect.objectContaining({ wanted: Number.MAX_SAFE_INTEGER, max: server.maxConnections }),
    ]);
  });
});
