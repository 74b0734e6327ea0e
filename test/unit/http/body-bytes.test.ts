import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import express from 'express';
import { pino } from 'pino';
import supertest from 'supertest';
import { BodyBytes } from '../../../api/http/requests/body-bytes';
import { errorHandler } from '../../../api/http/responses/errors';
import { requestId } from '../../../api/http/requests/request-id';

const LARGEST = 1_048_576;
const requestOf = (headers: Record<string, string>): IncomingMessage =>
  Object.assign(new IncomingMessage(new Socket()), { headers });
const newResponse = () => new ServerResponse(requestOf({}));
const noRoom = expect.objectContaining({ code: 'UNAVAILABLE' }) as Error;

describe('the room for bodies', () => {
  const plain = (bytes: number) => requestOf({ 'content-length': String(bytes) });

  it('is refused when the bodies of requests that are not answered take it, and free again once one is', () => {
    const bodies = new BodyBytes(700_000);
    const first = newResponse();
    bodies.take(plain(300_000), first, LARGEST);
    bodies.take(plain(300_000), newResponse(), LARGEST);
    expect(() => {
      bodies.take(plain(300_000), newResponse(), LARGEST);
    }).toThrow(noRoom);
    first.emit('close');
    bodies.take(plain(300_000), newResponse(), LARGEST);
  });

  it('is asked to try again in a moment', async () => {
    const bodies = new BodyBytes(4000);
    const app = express()
      .use(requestId, (request, response) => {
        bodies.take(request, response, LARGEST);
        response.end();
      })
      .use(errorHandler(pino({ level: 'silent' })));
    const { status, headers, body } = await supertest(app)
      .post('/')
      .send({ text: 'x'.repeat(5000) });
    expect([status, body.code, headers['retry-after']]).toEqual([
      503,
      'UNAVAILABLE',
      expect.stringMatching(/^[123]$/),
    ]);
  });

  it('is never refused to small bodies', () => {
    const bodies = new BodyBytes(LARGEST);
    bodies.take(plain(LARGEST), newResponse(), LARGEST);
    for (let count = 0; count < 1000; count += 1) bodies.take(plain(4096), newResponse(), LARGEST);
  });

  it.each([
    ['is compressed', { 'content-length': '100', 'content-encoding': 'gzip' }],
    ['comes in chunks', { 'transfer-encoding': 'chunked' }],
  ])('is taken for the largest body when one %s', (_case, headers) => {
    const bodies = new BodyBytes(LARGEST);
    bodies.take(requestOf(headers), newResponse(), LARGEST);
    expect(() => {
      bodies.take(plain(5000), newResponse(), LARGEST);
    }).toThrow(noRoom);
  });

  it('is not taken for a connection that is gone', async () => {
    const bodies = new BodyBytes(LARGEST);
    const gone = newResponse();
    gone.assignSocket(new Socket());
    gone.destroy();
    await new Promise(setImmediate);
    bodies.take(plain(LARGEST), gone, LARGEST);
    bodies.take(plain(LARGEST), newResponse(), LARGEST);
  });

  it('is taken for no more than the largest body, whatever a request says', () => {
    const bodies = new BodyBytes(2 * LARGEST);
    bodies.take(plain(10 * LARGEST), newResponse(), LARGEST);
    bodies.take(plain(LARGEST), newResponse(), LARGEST);
  });
});

describe('the time for bodies', () => {
  const WORK_MS = 50;

  it('is taken by one large body after the other, with a pause as long as each took', async () => {
    const bodies = new BodyBytes(LARGEST);
    const begun: number[] = [];
    const parse = async () => {
      await bodies.turn(LARGEST);
      begun.push(performance.now());
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WORK_MS);
    };
    await Promise.all([parse(), parse(), parse()]);
    const [first = 0, second = 0, third = 0] = begun;
    // Timers count in whole milliseconds.
    expect(second - first).toBeGreaterThanOrEqual(2 * WORK_MS - 2);
    expect(third - second).toBeGreaterThanOrEqual(2 * WORK_MS - 2);
  });

  it('is not paused for after bodies that took less than a timer counts', async () => {
    // No time passes, and no timer ends.
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
    const bodies = new BodyBytes(LARGEST);
    for (let count = 0; count < 1000; count += 1) await bodies.turn(LARGEST);
    // The last one is measured on the same clock, or it would be paused for until a minute later.
    await new Promise<void>((measured) => {
      process.nextTick(measured);
    });
    jest.useRealTimers();
  });

  it('is never waited for by small bodies', async () => {
    const bodies = new BodyBytes(LARGEST);
    const ended: string[] = [];
    const turn = async (name: string, bytes: number) => {
      await bodies.turn(bytes);
      ended.push(name);
    };
    await Promise.all([
      ...['first', 'second'].map((name) => turn(name, LARGEST)),
      turn('small', 4096),
    ]);
    expect(ended.indexOf('small')).toBeLessThan(ended.indexOf('second'));
  });
});
