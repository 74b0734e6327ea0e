import {
  createTraceState,
  diag,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import type { Logger } from './logger';
import {
  SAMPLED,
  spanContextOf,
  tracingOff,
  type OpenSpan,
  type SpanStart,
  type Systems,
  type TraceContext,
  type Tracing,
} from './tracing';

/**
 * OpenTelemetry traces, exported as OTLP over HTTP to `OTEL_EXPORTER_OTLP_ENDPOINT`. The exporter's
 * bounded queue drops what it cannot export in time. OpenTelemetry's own variables set the sampler,
 * the export's headers and so on.
 */

/** How long sending the last spans may take at the end, milliseconds. */
const FLUSH_MS = 3000;
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

/** Opens the traces of a program. They are off without `OTEL_EXPORTER_OTLP_ENDPOINT`. */
export async function openTracing(
  program: string,
  systems: Systems,
  { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: name = program }: NodeJS.ProcessEnv,
  logger: Logger,
): Promise<Tracing> {
  if (!endpoint) return tracingOff(systems);
  const { resources, sdk, exporter } = await packages();
  diag.setLogger({
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
    isRecording: true,
    systems,
    start: (span) => startSpan(tracer, span),
    async stop() {
      const late = new Promise((resolve) => setTimeout(resolve, FLUSH_MS).unref());
      await Promise.race([provider.shutdown(), late]).catch(() => undefined);
    },
  };
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

const SILENT = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
  verbose: () => undefined,
};

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;

function startSpan(
  tracer: Tracer,
  { name, kind, parent, startedAt = performance.now(), links = [], attributes = {} }: SpanStart,
): OpenSpan {
  const context = parent ? spanContextOf(parent) : undefined;
  const traceState = parent?.tracestate ? createTraceState(parent.tracestate) : undefined;
  const linked = links
    .flatMap((traceparent) => spanContextOf({ traceparent }) ?? [])
    .map((one) => ({ context: one }));
  const options = {
    kind: KINDS[kind],
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

/** Loads OpenTelemetry's SDK, only where traces are on. */
async function packages() {
  return {
    resources: await import('@opentelemetry/resources'),
    sdk: await import('@opentelemetry/sdk-trace-node'),
    exporter: await import('@opentelemetry/exporter-trace-otlp-http'),
  };
}
