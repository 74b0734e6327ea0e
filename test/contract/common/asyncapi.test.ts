import { Parser } from '@asyncapi/parser';
import { services } from '../../../shared/services';
import { target, type Target } from '../../support/service/target';

/** GET /asyncapi.json: every event, where it can be had, and what it carries. */

let lendline: Target;
beforeAll(async () => {
  lendline = await target();
});

const text = async (): Promise<string> =>
  (await lendline.api().get('/asyncapi.json').expect(200)).text;

describe('the document of events', () => {
  it('is without fault by the rules of AsyncAPI', async () => {
    const { document, diagnostics } = await new Parser().parse(await text());
    expect(diagnostics.map(({ message, path }) => `${path.join('.')}: ${message}`)).toEqual([]);
    expect(document?.version()).toBe('3.1.0');
  });

  it('has every type of event as a message, on the exchange and in the stream', async () => {
    const { document } = await new Parser().parse(await text());
    const types = [...services.eventTypes].sort();
    const channels = document?.channels().all() ?? [];
    const stream = channels.find((channel) => channel.address() === '/api/events');
    const keys = channels.filter((channel) => channel !== stream);
    expect(keys.map((channel) => channel.address()).sort()).toEqual(types);
    expect(
      stream
        ?.messages()
        .all()
        .map((message) => message.name())
        .sort(),
    ).toEqual(types);
  });

  it('is the same at every API, and has an ETag', async () => {
    const answers = await Promise.all(
      lendline.urls.map(async (url) => (await fetch(`${url}/asyncapi.json`)).text()),
    );
    expect(new Set(answers).size).toBe(1);
    const { etag } = (await lendline.api().get('/asyncapi.json').expect(200)).headers;
    await lendline.api().get('/asyncapi.json').set('If-None-Match', etag!).expect(304);
  });
});
