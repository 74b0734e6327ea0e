import { Socket } from 'node:net';
import express from 'express';
import { pino } from 'pino';
import { expressClasses } from '../../../api/http/express-classes';
import { listen } from '../../../api/http/listen';

describe('classes of requests and responses', () => {
  it('have the prototypes that Express wants, so that it changes none', () => {
    const app = express();
    const { IncomingMessage, ServerResponse } = expressClasses(app);
    const request = new IncomingMessage(new Socket());
    expect(Object.getPrototypeOf(request)).toBe(app.request);
    expect(Object.getPrototypeOf(new ServerResponse(request))).toBe(app.response);
  });

  it('do what those of Express do', async () => {
    const app = express();
    app.get('/:name', (request, response) => {
      response.status(201).json({
        name: request.params['name'],
        agent: request.get('user-agent'),
        app: request.app === app && response.app === app,
      });
    });
    const server = await listen(app, {
      host: '127.0.0.1',
      port: 0,
      max: 100,
      maxPerAddress: 0,
      logger: pino({ enabled: false }),
    });
    const answer = await fetch(`${server.url}/book`, { headers: { 'user-agent': 'reader' } });
    expect(answer.status).toBe(201);
    await expect(answer.json()).resolves.toEqual({ name: 'book', agent: 'reader', app: true });
    await server.close(0);
  });
});
