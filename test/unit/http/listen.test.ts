import { get, type RequestListener } from 'node:http';
import express, { type Express } from 'express';
import { pino } from 'pino';
import { listen } from '../../../api/http/listen';
import { StartError } from '../../../shared/config';

const status = (url: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get(url, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).once('error', reject);
  });

const LIMITS = { max: 100, maxPerAddress: 0, logger: pino({ enabled: false }) };
const at = (port: number, host = '127.0.0.1') => ({ host, port, ...LIMITS });

const serving = (listener: RequestListener): Express => express().use(listener);

describe('listen', () => {
  it('names a port that is taken, and a host that is not ours', async () => {
    const first = await listen(express(), at(0));
    const port = Number(new URL(first.url).port);
    await expect(listen(express(), at(port))).rejects.toThrow(
      new StartError(
        `Port ${port} on 127.0.0.1 is in use. Stop the program that uses it, or set API_PORT to another port.`,
      ),
    );
    await expect(listen(express(), at(0, '192.0.2.1'))).rejects.toThrow(
      'API_HOST "192.0.2.1" is not an address of this machine',
    );
    await first.close(0);
  });

  it('lets a request under way finish when it closes', async () => {
    let arrived: () => void = () => undefined;
    const arrival = new Promise<void>((resolve) => (arrived = resolve));
    let finish: () => void = () => undefined;
    const server = await listen(
      serving((_request, response) => {
        finish = () => response.end();
        arrived();
      }),
      at(0),
    );
    const answer = status(server.url);
    await arrival;
    const closed = server.close(60_000);
    finish();
    await expect(answer).resolves.toBe(200);
    await closed;
  });

  it('cuts what has not finished when its grace is over', async () => {
    let arrived: () => void = () => undefined;
    const arrival = new Promise<void>((resolve) => (arrived = resolve));
    const server = await listen(
      serving(() => {
        arrived();
      }),
      at(0),
    );
    const answer = status(server.url).catch(() => 'cut');
    await arrival;
    await server.close(10);
    await expect(answer).resolves.toBe('cut');
  });
});
