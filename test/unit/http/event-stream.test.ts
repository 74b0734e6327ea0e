import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { startEventStream, type EventStream } from '../../../api/http/streams/event-stream';
import { onCleanUp } from '../../support/run/cleanup';
import { waitUntil } from '../../support/wait';

const LIMIT_MS = 20_000;
const KILOBYTE = 'x'.repeat(1024);

/** A stream over a real connection, from both sides. */
async function connected(): Promise<{ stream: EventStream; client: IncomingMessage }> {
  let stream: EventStream | undefined;
  const server = createServer(
    express().get('/', (_request, response) => {
      stream = startEventStream(response);
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onCleanUp(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  const client = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ port: (server.address() as AddressInfo).port, agent: false }, resolve).on(
      'error',
      reject,
    );
  });
  client.on('error', () => undefined);
  // One that is paused does not notice the end of the server.
  onCleanUp(() => Promise.resolve(client.destroy()));
  return { stream: await waitUntil('the stream', LIMIT_MS, () => stream), client };
}

const turn = () => new Promise(setImmediate);

describe('a stream of events', () => {
  it('cuts off a reader that lags too far behind, so that what waits for it is bounded', async () => {
    const { stream, client } = await connected();
    client.pause();
    let kilobytes = 0;
    // What the kernel buffers on loopback comes on top of our own.
    for (; stream.open && kilobytes < 100_000; kilobytes += 1) {
      stream.send('event', KILOBYTE);
      await turn();
    }
    expect(stream.open).toBe(false);
    stream.send('event', KILOBYTE);
    stream.end();
  });

  it('keeps a reader that reads, however much there is', async () => {
    const { stream, client } = await connected();
    let received = 0;
    client.on('data', (part: Buffer) => (received += part.length));
    for (let megabyte = 0; megabyte < 20; megabyte += 1) {
      const until = received + 1024 * 1024;
      for (let kilobyte = 0; kilobyte < 1024; kilobyte += 1) stream.send('event', KILOBYTE);
      await waitUntil('the reader has it', LIMIT_MS, () => received >= until);
    }
    expect(stream.open).toBe(true);
  });

  it('drops what comes after its end', async () => {
    const { stream, client } = await connected();
    let text = '';
    client.setEncoding('utf8').on('data', (part: string) => (text += part));
    stream.send('event', '1');
    stream.end();
    stream.send('event', '2');
    stream.end();
    await waitUntil('the end', LIMIT_MS, () => client.complete);
    expect(text).toBe(': open\n\nevent: event\ndata: 1\n\n');
  });
});
