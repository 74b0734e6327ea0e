import { pino } from 'pino';
import { openTracing } from '../../../shared/open-tracing';
import { EMBEDDED, isSampled, traceContextIn, TRACESTATE_MAX } from '../../../shared/tracing';

jest.mock('@opentelemetry/sdk-trace-node', () => {
  throw new Error('The SDK of OpenTelemetry is loaded.');
});

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

function read(traceparent: string, tracestate?: string) {
  const headers: Record<string, string | undefined> = { traceparent, tracestate };
  return traceContextIn((name) => headers[name]);
}

describe('the trace context of a request', () => {
  it.each([
    ['version 00', `00-${TRACE}-${SPAN}-01`],
    ['a later version', `01-${TRACE}-${SPAN}-01`],
    ['a later version with more behind the flags', `cc-${TRACE}-${SPAN}-01-what-comes-later`],
  ])('is accepted in %s', (_, traceparent) => {
    expect(read(traceparent)).toEqual({ traceparent });
    expect(isSampled(traceparent)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['version ff', `ff-${TRACE}-${SPAN}-01`],
    ['more than version 00 has', `00-${TRACE}-${SPAN}-01-more`],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['capital letters', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['flags of one digit', `00-${TRACE}-${SPAN}-1`],
  ])('is absent in %s', (_, traceparent) => {
    expect(read(traceparent)).toBeNull();
    expect(isSampled(traceparent)).toBe(false);
  });

  it('is not kept when its client does not keep it', () => {
    expect(isSampled(`00-${TRACE}-${SPAN}-00`)).toBe(false);
    expect(isSampled(null)).toBe(false);
  });

  it('has the tracestate of 512 characters, and leaves a longer one out', () => {
    const traceparent = `00-${TRACE}-${SPAN}-01`;
    const tracestate = 'v'.repeat(TRACESTATE_MAX);
    expect(read(traceparent, tracestate)).toEqual({ traceparent, tracestate });
    expect(read(traceparent, `${tracestate}v`)).toEqual({ traceparent });
    expect(read('', tracestate)).toBeNull();
  });
});

describe('traces', () => {
  const open = (environment: NodeJS.ProcessEnv) =>
    openTracing('lendline', EMBEDDED, environment, pino({ level: 'silent' }));
  const start = { name: 'batch', kind: 'consumer' } as const;

  it('are off without a collector, and load no SDK', async () => {
    const tracing = await open({});
    expect(tracing.isRecording).toBe(false);
    await tracing.stop();
    const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
    await expect(open(collector)).rejects.toThrow('The SDK of OpenTelemetry is loaded.');
  });

  it("pass on the client's trace when they are off", async () => {
    const tracing = await open({});
    const parent = { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'congo=t61' };
    const span = tracing.start({ ...start, parent });
    span.rename('other');
    span.end();
    expect(span.context).toEqual(parent);
    const { context } = tracing.start({ ...start, parent: null });
    expect(traceContextIn((name) => ({ ...context })[name])).toBeNull();
  });
});
