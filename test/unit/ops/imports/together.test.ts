import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ServiceClient } from '../../../../workers/ops/imports/service-client';
import { Together } from '../../../../workers/ops/imports/together';

interface Call {
  readonly method: string;
  readonly url: string;
  readonly body: { readonly items?: readonly object[] } | null;
}

/** A service that answers as a test says, and remembers what it was asked. */
class Service {
  readonly calls: Call[] = [];
  private readonly server: Server;

  constructor(answer: (call: Call) => readonly [status: number, body: object]) {
    this.server = createServer((request, response) => {
      void request.toArray().then((parts) => {
        const { method = '', url = '' } = request;
        const text = Buffer.concat(parts as Buffer[]).toString();
        const call = { method, url, body: text ? (JSON.parse(text) as Call['body']) : null };
        this.calls.push(call);
        const [status, body] = answer(call);
        response.writeHead(status, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify(body));
      });
    });
  }

  async start(): Promise<ServiceClient> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    const { port } = this.server.address() as AddressInfo;
    return new ServiceClient(`http://127.0.0.1:${port}`, () => 'token');
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

let running: Service | null = null;
afterEach(() => running?.close());

async function started(...given: ConstructorParameters<typeof Service>) {
  running = new Service(...given);
  return { client: await running.start(), calls: running.calls };
}

const PATHS = { one: '/things', many: '/things/bulk' };
const item = (given: object) => ({
  ...{ status: 'succeeded', httpStatus: 201, result: null, problem: null, statusUrl: null },
  ...given,
});
const things = (count: number) => Array.from({ length: count }, (_, number) => ({ number }));
const created = ({ body }: Call): readonly [number, object] =>
  body?.items ? [200, { items: body.items.map((result) => item({ result })) }] : [201, body ?? {}];

describe('things that are created together', () => {
  it('get their own answers, of one request for at most 100', async () => {
    const { client, calls } = await started(created);
    const together = new Together(PATHS);
    const answers = await Promise.all(things(120).map((thing) => together.create(client, thing)));
    expect(answers).toEqual(things(120).map((body) => ({ status: 201, body })));
    expect(calls.map(({ url, body }) => [url, body?.items?.length])).toEqual([
      ['/things/bulk', 100],
      ['/things/bulk', 20],
    ]);
  });

  it('come alone when nothing comes with them', async () => {
    const { client, calls } = await started(created);
    const together = new Together(PATHS);
    for (const thing of things(2)) await together.create(client, thing);
    expect(calls.map(({ url }) => url)).toEqual(['/things', '/things']);
  });

  it('are created one by one when all were refused together', async () => {
    const { client } = await started((call) =>
      call.body?.items ? [400, { code: 'VALIDATION_FAILED' }] : created(call),
    );
    const together = new Together(PATHS);
    const answers = await Promise.all(things(3).map((thing) => together.create(client, thing)));
    expect(answers).toEqual(things(3).map((body) => ({ status: 201, body })));
  });

  it('are sent again alone when the service could not accept them', async () => {
    const { client, calls } = await started((call) => {
      if (!call.body?.items) return created(call);
      const refused = item({ status: 'failed', httpStatus: 503, problem: {} });
      return [200, { items: [item({ result: call.body.items[0] }), refused] }];
    });
    const together = new Together(PATHS);
    const answers = await Promise.all(things(2).map((thing) => together.create(client, thing)));
    expect(answers).toEqual(things(2).map((body) => ({ status: 201, body })));
    expect(calls.map(({ body }) => body)).toEqual([{ items: things(2) }, { number: 1 }]);
  });

  it('are waited for when they are queued', async () => {
    const problem = { code: 'ISBN_ALREADY_REGISTERED' };
    const states = [{}, { status: 'failed', httpStatus: 409, problem }];
    const { client } = await started(({ method, body }) => {
      if (method === 'GET') return [200, item({ status: 'queued', ...states.shift() })];
      const queued = { status: 'queued', httpStatus: null, statusUrl: '/api/commands/7' };
      return [200, { items: (body?.items ?? []).map((_, at) => item(at === 0 ? queued : {})) }];
    });
    const together = new Together(PATHS);
    const answers = await Promise.all(things(2).map((thing) => together.create(client, thing)));
    expect(answers).toEqual([
      { status: 409, body: problem },
      { status: 201, body: {} },
    ]);
  });
});
