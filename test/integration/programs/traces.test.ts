import { randomBytes } from 'node:crypto';
import { openLibrary } from '../../support/clients/books';
import {
  attribute,
  startCollector,
  type Collector,
  type Span,
} from '../../support/clients/collector';
import {
  newSecret,
  startEmbedded,
  startInVain,
  startServers,
} from '../../support/service/processes';
import { exportedSecret, targetAt, type TargetName } from '../../support/service/target';

/** One borrow's way through the programs, as a collector of traces gets it. */

const WAY = [
  'POST /api/borrows',
  'publish lending.borrow-book',
  'consume lending.borrow-book',
  'decide',
  'commit',
  'reply',
];

/** What another tracing system has added to the client's trace. */
const TRACESTATE = 'congo=t61rcWkgMzE,rojo=00f067aa0ba902b7';

const hex = (bytes: number) => randomBytes(bytes).toString('hex');

/** Borrows as a part of the client's trace, and returns the command's id and that trace. */
async function tracedBorrow(kind: TargetName, url: string) {
  const library = await openLibrary(targetAt(kind, [url]));
  const { bookInfoId } = await library.single();
  const [trace, span] = [hex(16), hex(8)];
  const { token } = library.newReader();
  const answer = await library.call('post', '/api/borrows', {
    token,
    body: { bookInfoId },
    headers: { traceparent: `00-${trace}-${span}-01`, tracestate: TRACESTATE },
  });
  expect(answer.status).toBe(201);
  return { trace, span };
}

function expectInside(outer: Span, inner: Span): void {
  expect(BigInt(inner.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(outer.startTimeUnixNano));
  expect(BigInt(inner.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(outer.endTimeUnixNano));
}

/** How OpenTelemetry's conventions name what is behind the programs. */
interface Conventions {
  readonly messaging: string;
  readonly database: string;
  readonly destination: RegExp;
}

function expectAttributes(span: Span, attributes: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(attributes);
  expect(Object.fromEntries(names.map((name) => [name, attribute(span, name)]))).toEqual(
    attributes,
  );
}

async function expectWay(
  { spans }: Collector,
  { trace, span }: { readonly trace: string; readonly span: string },
  [api, worker]: readonly [string, string],
  { messaging, database, destination }: Conventions,
): Promise<void> {
  const way = await spans(WAY, ({ traceId }) => traceId === trace);
  const of = (name: string) => way.get(name) as Span;
  const [request, publish, consume, ...steps] = WAY.map(of) as [Span, Span, Span, ...Span[]];
  expect([request, publish, consume].map(({ parentSpanId }) => parentSpanId)).toEqual([
    span,
    request.spanId,
    publish.spanId,
  ]);
  expect([request.service, publish.service]).toEqual([api, api]);
  expectAttributes(request, {
    'http.request.method': 'POST',
    'http.response.status_code': '201',
    'http.route': '/api/borrows',
    'url.path': '/api/borrows',
    'url.scheme': 'http',
  });
  for (const [one, operation, type] of [
    [publish, 'publish', 'send'],
    [consume, 'consume', 'process'],
  ] as const) {
    expectAttributes(one, {
      'messaging.system': messaging,
      'messaging.operation.name': operation,
      'messaging.operation.type': type,
      'messaging.destination.name': expect.stringMatching(destination),
    });
  }
  expectAttributes(of('commit'), {
    'db.system.name': database,
    'db.operation.name': 'COMMIT',
  });
  expect([...way.values()].map(({ traceState }) => traceState)).toEqual(WAY.map(() => TRACESTATE));
  const command = attribute(request, 'lendline.command_id');
  expect(command).toMatch(/^[0-9a-f]{40}$/);
  expect(attribute(consume, 'lendline.command_id')).toBe(command);
  for (const step of steps) {
    expect(step).toMatchObject({ parentSpanId: consume.spanId, service: worker });
    expectInside(consume, step);
  }
  const batches = await spans(
    ['batch'],
    ({ name, links = [] }) =>
      name === 'batch' && links.some(({ spanId }) => spanId === publish.spanId),
  );
  const batch = batches.get('batch') as Span;
  expect(batch.traceId).not.toBe(trace);
  expect(consume.links).toEqual([
    expect.objectContaining({ traceId: batch.traceId, spanId: batch.spanId }),
  ]);
}

it('shows a borrow from the request to the reply, through the broker (servers)', async () => {
  const collector = await startCollector();
  const { apis } = await startServers({
    env: { JWT_SECRET: exportedSecret(newSecret), OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  });
  await expectWay(
    collector,
    await tracedBorrow('servers', apis[0]?.url ?? ''),
    ['lendline-api', 'lendline-worker'],
    {
      messaging: 'rabbitmq',
      database: 'mysql',
      destination: /^commands\.1:lending\.commands\.\d\d$/,
    },
  );
});

it('shows a borrow from the request to the reply, in one process (embedded)', async () => {
  const collector = await startCollector();
  const { url } = await startEmbedded({
    env: { JWT_SECRET: exportedSecret(newSecret), OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  });
  await expectWay(collector, await tracedBorrow('embedded', url), ['lendline', 'lendline'], {
    messaging: 'lendline',
    database: 'sqlite',
    destination: /^lending\.commands\.\d\d$/,
  });
});

it('keeps the last spans when the program ends, and none of a trace that its client does not keep', async () => {
  const collector = await startCollector();
  const service = await startEmbedded({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'library' },
  });
  const [kept, dropped] = [hex(16), hex(16)];
  await fetch(`${service.url}/api/book-infos`, {
    headers: { traceparent: `00-${dropped}-${hex(8)}-00` },
  });
  await fetch(`${service.url}/api/book-infos`, {
    headers: { traceparent: `00-${kept}-${hex(8)}-01` },
  });
  await service.stop();
  const spans = await collector.spans(['GET /api/book-infos'], ({ traceId }) =>
    [kept, dropped].includes(traceId),
  );
  expect([...spans.values()]).toEqual([
    expect.objectContaining({ traceId: kept, service: 'library' }),
  ]);
});

it('reports an invalid address of the collector at the start', async () => {
  const { code, output } = await startInVain('standalone.js', {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
  });
  expect({ code, output }).toEqual({
    code: 1,
    output: expect.stringContaining('OTEL_EXPORTER_OTLP_ENDPOINT'),
  });
});
