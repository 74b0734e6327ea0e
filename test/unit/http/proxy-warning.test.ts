import express from 'express';
import { pino } from 'pino';
import supertest from 'supertest';
import { warnOfProxy } from '../../../api/http/security/proxy-warning';

it('warns once that a proxy seems to be in front', async () => {
  const warnings: string[] = [];
  const logger = pino(
    {},
    { write: (line: string) => warnings.push((JSON.parse(line) as { msg: string }).msg) },
  );
  const app = express()
    .use(warnOfProxy(logger))
    .use((_request, response) => {
      response.end('answered');
    });
  await supertest(app).get('/');
  expect(warnings).toEqual([]);
  for (let times = 0; times < 2; times += 1)
    expect((await supertest(app).get('/').set('X-Forwarded-For', '192.0.2.7')).text).toBe(
      'answered',
    );
  expect(warnings).toEqual([expect.stringContaining('TRUSTED_PROXIES')]);
});
