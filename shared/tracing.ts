import type * as OpenTelemetry from '@opentelemetry/api';
import type { Span, SpanContext, Tracer } from '@opentelemetry/api';
import type { Logger } from './logger';

/**
 * OpenTelemetry traces, exported as OTLP over HTTP to `OTEL_EXPORTER_OTLP_ENDPOINT`.
 * Spans are made from instants that are measured anyway, so no command waits for them. The
 * exporter's bounded queue drops what it cannot export in time. OpenTelemetry's own variables set
 * the sampler, the export's headers and so on.
 */

/** How long sending the last spans may take at the end, milliseconds. */
const FLUSH_MS = 3000;
/**
 * The form of W3C's Trace Context: version, trace, span, flags, and additions of later versions.
 */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ZEROS = /^0+$/;
/** Longest `tracestate` that is passed on, characters: the minimum of W3C's Trace Context. */
export const TRACESTATE_MAX = 512;
const TRACESTATE = new RegExp(`^[\\x20-\\x7e]{1,${TRACESTATE_MAX}}$`);
const SAMPLED = 1;
/**
 * By how much the machine's clock may change before spans follow it, milliseconds. Below that,
 * instants of one process keep their order and distance.
 */
const FOLLOW_MS = 20;

let aheadMs = Date.now() - performance.now();

/** Converts an instant of `performance.now()` to milliseconds since 1970. */
function sinceEpoch(instant: number): number {
  const present = Date.now() - performance.now();
  if (Math.abs(present - aheadMs) > FOLLOW_MS) aheadMs = present;
  return aheadMs + instant;
}

/** What a program passes on of a trace, in the form of W3C's Trace Context. */
export interface TraceContext {
  readonly traceparent: string;
  /** What tracing systems on the way have added. */
  readonly tracestate?: string;
}

export interface SpanStart {
  readonly name: string;
  readonly kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  /** The trace context of the parent span. Null begins a trace. */
  readonly parent: TraceContext | null;
  /** In milliseconds by `performance.now()`; now when absent. */
  readonly startedAt?: number;
  /** Trace contexts of related spans. */
  readonly links?: readonly string[];
  readonly attributes?: Attributes;
}

export type Attributes = Readonly<Record<string, string | number>>;

export interface SpanEnd {
  /** In milliseconds by `performance.now()`; now when absent. */
  readonly endedAt?: number;
  readonly attributes?: Attributes;
  /** The error: a short name of its kind, and a sentence. */
  readonly error?: { readonly type: string; readonly message: string } | null;
}

export interface OpenSpan {
  /** The trace context for child spans. */
  readonly context: TraceContext;
  rename(name: string): void;
  end(end?: SpanEnd): void;
}

/** The servers behind a program, by the names that OpenTelemetry's conventions give them. */
export interface Systems {
  readonly messaging: 'rabbitmq' | 'lendline';
  readonly database: 'mysql' | 'sqlite';
}

/** What the programs for servers use. */
export const SERVERS: Systems = { messaging: 'rabbitmq', database: 'mysql' };
/** What the embedded program uses. */
export const EMBEDDED: Systems = { messaging: 'lendline', database: 'sqlite' };

export interface Tracing {
  readonly systems: Systems;
  start(span: SpanStart): OpenSpan;
  /** Sends the last spans. Never rejects. */
  stop(): Promise<void>;
}

/**
 * Reads the trace context in the headers of a request. Null without a valid `traceparent`. A
 * `tracestate` that is too long is left out.
 */
export function traceContextIn(header: (name: string) => string | undefined): TraceContext | null {
  const traceparent = header('traceparent') ?? '';
  const tracestate = header('tracestate') ?? '';
  if (!spanContextOf({ traceparent })) return null;
  return { traceparent, ...(TRACESTATE.test(tracestate) && { tracestate }) };
}

/** Returns the trace context that a command carries. */
export function traceOf(command: {
  readonly traceparent: string | null;
  readonly tracestate?: string;
}): TraceContext | null {
  const { traceparent, tracestate } = command;
  return traceparent === null ? null : { traceparent, ...(tracestate && { tracestate }) };
}

/** Returns whether the spans of a trace context are kept. */
export function isSampled(traceparent: string | null): traceparent is string {
  if (traceparent === null) return false;
  return ((spanContextOf({ traceparent })?.traceFlags ?? 0) & SAMPLED) !== 0;
}

function spanContextOf({ traceparent }: TraceContext): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] =
    TRACEPARENT.exec(traceparent) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more)) return undefined;
  if (ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & SAMPLED, isRemote: true };
}

function contextOf(span: Span): TraceContext {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  const flags = (traceFlags & SAMPLED).toString(16).padStart(2, '0');
  const tracestate = traceState?.serialize();
  return {
    traceparent: `00-${traceId}-${spanId}-${flags}`,
    ...(tracestate && { tracestate }),
  };
}

/** Opens the traces of a program, or returns null when they are off. */
export async function openTracing(
  program: string,
  systems: Systems,
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
    systems,
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
  { trace, createTraceState, ROOT_CONTEXT, SpanKind, SpanStatusCode }: typeof OpenTelemetry,
  tracer: Tracer,
  { name, kind, parent, startedAt = performance.now(), links = [], attributes = {} }: SpanStart,
): OpenSpan {
  const context = parent ? spanContextOf(parent) : undefined;
  const traceState = parent?.tracestate ? createTraceState(parent.tracestate) : undefined;
  const kinds = {
    server: SpanKind.SERVER,
    client: SpanKind.CLIENT,
    producer: SpanKind.PRODUCER,
    consumer: SpanKind.CONSUMER,
    internal: SpanKind.INTERNAL,
  };
  const linked = links
    .flatMap((traceparent) => spanContextOf({ traceparent }) ?? [])
    .map((one) => ({ context: one }));
  const options = {
    kind: kinds[kind],
    attributes,
    links: linked,
    startTime: sinceEpoch(startedAt),
  };
  const span = tracer.startSpan(
    name,
    options,
    context
      ? trace.setSpanContext(ROOT_CONTEXT, { ...context, ...(traceState && { traceState }) })
      : ROOT_CONTEXT,
  );
  return {
    context: contextOf(span),
    rename(other) {
      span.updateName(other);
    },
    end({ endedAt = performance.now(), attributes: more = {}, error = null } = {}) {
      span.setAttributes(more);
      if (error !== null) {
        span.setAttribute('error.type', error.type);
        span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
      }
      span.end(sinceEpoch(endedAt));
    },
  };
}

/** Loads OpenTelemetry's packages, only where traces are on. */
async function packages() {
  return {
    api: await import('@opentelemetry/api'),
    resources: await import('@opentelemetry/resources'),
    sdk: await import('@opentelemetry/sdk-trace-node'),
    exporter: await import('@opentelemetry/exporter-trace-otlp-http'),
  };
}
