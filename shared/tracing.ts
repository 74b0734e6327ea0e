import type { SpanContext } from '@opentelemetry/api';

/**
 * What the programs know of traces: trace contexts, and an interface for spans. Spans are made from
 * instants that are measured anyway, so no command waits for them.
 */

/**
 * The form of W3C's Trace Context: version, trace, span, flags, and additions of later versions.
 */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ZEROS = /^0+$/;
/** Longest `tracestate` that is passed on, characters: the minimum of W3C's Trace Context. */
export const TRACESTATE_MAX = 512;
const TRACESTATE = new RegExp(`^[\\x20-\\x7e]{1,${TRACESTATE_MAX}}$`);
/** The flag of traces that are kept. */
export const SAMPLED = 1;

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
  /** Whether spans are kept. When they are not, nobody needs to make them. */
  readonly isRecording: boolean;
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

/** Returns the parts of a trace context; undefined when it is invalid. */
export function spanContextOf({ traceparent }: TraceContext): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] =
    TRACEPARENT.exec(traceparent) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more)) return undefined;
  if (ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & SAMPLED, isRemote: true };
}

/** The context of no span, as OpenTelemetry writes it. Who reads it finds no trace. */
const NO_CONTEXT = { traceparent: `00-${'0'.repeat(32)}-${'0'.repeat(16)}-00` };

/** Returns tracing that keeps no spans, and loads nothing of OpenTelemetry. */
export function tracingOff(systems: Systems): Tracing {
  return {
    isRecording: false,
    systems,
    start: ({ parent }) => ({
      context: parent ?? NO_CONTEXT,
      rename: () => undefined,
      end: () => undefined,
    }),
    stop: () => Promise.resolve(),
  };
}
