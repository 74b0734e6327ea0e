import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onCleanUp } from '../run/cleanup';
import { waitUntil } from '../wait';

/**
 * A collector of traces: takes what programs export over HTTP and keeps the spans, as they came in
 * JSON.
 */

/** How long a program may keep spans before it exports them, milliseconds. */
const EXPORT_MS = 30_000;

export interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly {
    readonly key: string;
    readonly value: { readonly stringValue?: string; readonly intValue?: number };
  }[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  /** Name of the program that made it. */
  readonly service: string;
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: Pick<Span, 'attributes'>;
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

export interface Collector {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  /** Spans once there is one of each name among those that pass. */
  readonly spans: (
    names: readonly string[],
    pass: (span: Span) => boolean,
  ) => Promise<Map<string, Span>>;
}

/** Returns the text or number of an attribute. */
export function attribute(
  { attributes }: Pick<Span, 'attributes'>,
  key: string,
): string | undefined {
  const value = attributes.find((one) => one.key === key)?.value;
  return value?.stringValue ?? value?.intValue?.toString();
}

export async function startCollector(): Promise<Collector> {
  const all: Span[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      for (const { resource, scopeSpans } of (JSON.parse(Buffer.concat(parts).toString()) as Export)
        .resourceSpans) {
        const service = attribute(resource, 'service.name') ?? '';
        for (const { spans } of scopeSpans)
          all.push(...spans.map((span) => ({ ...span, service })));
      }
      response.setHeader('Content-Type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onCleanUp(() => new Promise((resolve) => server.close(resolve)));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: (names, pass) =>
      waitUntil(`spans ${names.join(', ')}`, EXPORT_MS, () => {
        const found = new Map(all.filter(pass).map((span) => [span.name, span]));
        return names.every((name) => found.has(name)) ? found : undefined;
      }),
  };
}
