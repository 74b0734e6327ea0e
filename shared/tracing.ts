import type * as OpenTelemetry from '@opentelemetry/api';
import type { Span, SpanContext, Tracer } from '@opentelemetry/api';
import { StartError } from './config';
import type { Logger } from './logger';

/**
 * OpenTelemetry traces, exported as OTLP over HTTP. They are made when
 * `OTEL_EXPORTER_OTLP_ENDPOINT` says where to, and only then the packages below must be there.
 * Spans are made of instants that were taken anyway, so nothing on the way of a command waits for
 * them; what cannot be exported in time is dropped by the exporter's own bounded queue. The
 * sampler, the export's headers and the like are set by OpenTelemetry's own variables,
 * `OTEL_TRACES_SAMPLER` and so on.
 */

/** What has to be installed beside Lendline. */
const PACKAGES = [
  '@opentelemetry/api',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-node',
  '@opentelemetry/exporter-trace-otlp-http',
];
/** How long the last spans may take to get out at the end, milliseconds. */
const FLUSH_MS = 3000;
/** A trace context as W3C writes it: version, trace, span, flags. */
const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const SAMPLED = 1;
/**
 * By how much the clock of the machine may move before spans follow it, milliseconds. Within that,
 * instants of one process keep their order and distance.
 */
const FOLLOW_MS = 20;

let aheadMs = Date.now() - performance.now();

/** An instant of `performance.now()` in milliseconds since 1970. */
function sinceEpoch(instant: number): number {
  const present = Date.now() - performance.now();
  if (Math.abs(present - aheadMs) > FOLLOW_MS) aheadMs = present;
  return aheadMs + instant;
}

export interface SpanStart {
  readonly name: string;
  readonly kind: 'server' | 'producer' | 'consumer' | 'internal';
  /** Trace context of the span that this one is a part of; a trace begins here without one. */
  readonly parent: string | null;
  /** In milliseconds by `performance.now()`; now when absent. */
  readonly startedAt?: number;
  /** Trace contexts of spans that have to do with this one. */
  readonly links?: readonly string[];
  readonly attributes?: Attributes;
}

export type Attributes = Readonly<Record<string, string | number>>;

export interface SpanEnd {
  /** In milliseconds by `performance.now()`; now when absent. */
  readonly endedAt?: number;
  readonly attributes?: Attributes;
  /** What went wrong. */
  readonly error?: string | null;
}

export interface OpenSpan {
  /** The trace context for what happens inside of it. */
  readonly traceparent: string;
  rename(name: string): void;
  end(end?: SpanEnd): void;
}

export interface Tracing {
  start(span: SpanStart): OpenSpan;
  /** Gets the last spans out; never rejects. */
  stop(): Promise<void>;
}

/** Whether a text is a trace context. */
export const isTraceparent = (text: string): boolean => TRACEPARENT.test(text);

/** Whether the spans of a trace context are kept. */
export function isSampled(traceparent: string | null): traceparent is string {
  return ((contextOf(traceparent)?.traceFlags ?? 0) & SAMPLED) !== 0;
}

function contextOf(traceparent: string | null): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  return traceId && spanId && flags
    ? { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
    : undefined;
}

function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/**
 * The traces of a program, null when none are wanted.
 * @throws StartError when they are and a package is missing.
 */
export async function openTracing(
  program: string,
  { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: name = program }: NodeJS.ProcessEnv,
  logger: Logger,
): Promise<Tracing | null> {
  if (!endpoint) return null;
  const { api, resources, sdk, exporter } = await packages();
  api.diag.setLogger({
    ...SILENT,
    error(message, ...details) {
      logger.warn({ details }, `traces: ${message}`);
    },
  });
  const provider = new sdk.NodeTracerProvider({
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes({ 'service.name': name })),
    spanProcessors: [new sdk.BatchSpanProcessor(new exporter.OTLPTraceExporter())],
  });
  const tracer = provider.getTracer('lendline');
  return {
    start: (span) => startSpan(api, tracer, span),
    async stop() {
      const late = new Promise((resolve) => setTimeout(resolve, FLUSH_MS).unref());
      await Promise.race([provider.shutdown(), late]).catch(() => undefined);
    },
  };
}

const SILENT = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
  verbose: () => undefined,
};

function startSpan(
  { trace, ROOT_CONTEXT, SpanKind, SpanStatusCode }: typeof OpenTelemetry,
  tracer: Tracer,
  { name, kind, parent, startedAt = performance.now(), links = [], attributes = {} }: SpanStart,
): OpenSpan {
  const context = contextOf(parent);
  const kinds = {
    server: SpanKind.SERVER,
    producer: SpanKind.PRODUCER,
    consumer: SpanKind.CONSUMER,
    internal: SpanKind.INTERNAL,
  };
  const linked = links.flatMap((link) => contextOf(link) ?? []).map((one) => ({ context: one }));
  const options = {
    kind: kinds[kind],
    attributes,
    links: linked,
    startTime: sinceEpoch(startedAt),
  };
  const span = tracer.startSpan(
    name,
    options,
    context ? trace.setSpanContext(ROOT_CONTEXT, context) : ROOT_CONTEXT,
  );
  return {
    traceparent: traceparentOf(span),
    rename(other) {
      span.updateName(other);
    },
    end({ endedAt = performance.now(), attributes: more = {}, error = null } = {}) {
      span.setAttributes(more);
      if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
      span.end(sinceEpoch(endedAt));
    },
  };
}

async function packages() {
  try {
    return {
      api: await import('@opentelemetry/api'),
      resources: await import('@opentelemetry/resources'),
      sdk: await import('@opentelemetry/sdk-trace-node'),
      exporter: await import('@opentelemetry/exporter-trace-otlp-http'),
    };
  } catch (error) {
    throw new StartError(
      `OTEL_EXPORTER_OTLP_ENDPOINT is set, and the traces need packages that are not installed (npm install ${PACKAGES.join(' ')}): ${(error as Error).message.split('\n')[0]}`,
    );
  }
}
