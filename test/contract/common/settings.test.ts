import { startService } from '../../support/service/start-service';
import { expectProblem } from '../../support/clients/problems';
import { target, type Target } from '../../support/service/target';
import { unique } from './helpers';

/** What an operator can set about the answers. */

const ORIGIN = 'https://app.example';

let standard: Target;
let configured: Target;
beforeAll(async () => {
  standard = await target();
  configured = (
    await startService({
      env: {
        API_WAIT_MS: '0',
        CORS_ORIGINS: `${ORIGIN},https://other.example`,
      },
    })
  ).target;
});

describe('CORS', () => {
  const preflight = (at: Target, origin: string) =>
    at.api().options('/api/book-infos').set({
      Origin: origin,
      'Access-Control-Request-Method': 'PATCH',
      'Access-Control-Request-Headers':
        'authorization,content-type,idempotency-key,prefer,if-match',
    });

  it('allows no origin by default', async () => {
    for (const response of [
      await standard.api().get('/api/book-infos?size=1').set('Origin', ORIGIN),
      await preflight(standard, ORIGIN),
    ]) {
      expect(
        Object.keys(response.headers).filter((name) => name.startsWith('access-control-')),
      ).toEqual([]);
    }
  });

  it('allows the configured origins, for every method and header that the API takes', async () => {
    const { status, headers } = await preflight(configured, ORIGIN);
    expect([status, headers['access-control-allow-origin']]).toEqual([204, ORIGIN]);
    // No origin is let use what a browser keeps of a user.
    expect(headers['access-control-allow-credentials']).toBeUndefined();
    expect(headers['access-control-allow-methods']!.split(',').sort()).toEqual([
      'DELETE',
      'GET',
      'HEAD',
      'PATCH',
      'POST',
      'PUT',
    ]);
    expect(headers['access-control-allow-headers']!.split(',').sort()).toEqual([
      'authorization',
      'content-type',
      'idempotency-key',
      'if-match',
      'prefer',
    ]);
  });

  it('allows no other origin', async () => {
    for (const origin of [
      'https://evil.example',
      `${ORIGIN}.evil.example`,
      'http://app.example',
      'null',
    ]) {
      expect(
        (await preflight(configured, origin)).headers['access-control-allow-origin'],
      ).toBeUndefined();
      expect(
        (await configured.api().get('/livez').set('Origin', origin)).headers[
          'access-control-allow-origin'
        ],
      ).toBeUndefined();
    }
  });

  it('lets pages read the headers that answers use, refusals as well', async () => {
    const refused = await configured.api().post('/api/borrows').set('Origin', ORIGIN).send({});
    expectProblem(refused, 401, 'UNAUTHENTICATED');
    expect(refused.headers['access-control-allow-origin']).toBe(ORIGIN);
    expect(refused.headers['vary']).toContain('Origin');
    const exposed = refused.headers['access-control-expose-headers']!.split(',');
    for (const name of [
      'ETag',
      'Link',
      'Location',
      'Preference-Applied',
      'Retry-After',
      'X-Request-Id',
      'X-Total-Count',
    ])
      expect(exposed).toContain(name);
  });
});

describe('the wait for an answer', () => {
  const register = () =>
    configured.api().post('/api/book-infos').auth(configured.admin, { type: 'bearer' });

  it('that is over gives the promise of a command, which is carried out all the same', async () => {
    const [title, author] = [unique('Title'), unique('Author')];
    const { status, body, headers } = await register().send({ title, author });
    expect([status, headers['location'], headers['preference-applied']]).toEqual([
      202,
      body.statusUrl,
      undefined,
    ]);
    const command = await configured
      .api()
      .get(`${body.statusUrl}?wait=30`)
      .auth(configured.admin, { type: 'bearer' });
    expect(command.body).toMatchObject({
      status: 'succeeded',
      httpStatus: 201,
      result: { title, author },
    });
  });

  it('is as long as the client prefers, before what is configured', async () => {
    const { status, headers } = await register()
      .set('Prefer', 'wait=30')
      .send({ title: unique('Title'), author: unique('Author') });
    expect([status, headers['preference-applied']]).toEqual([201, 'wait=30']);
  });
});
