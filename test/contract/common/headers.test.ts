import { target, type Target } from '../../support/service/target';

/** What tells browsers to be careful, on answers of every kind. */

let lendline: Target;
beforeAll(async () => {
  lendline = await target();
});

const YEAR_S = 365 * 24 * 3600;

it.each([
  '/',
  '/docs',
  '/openapi.json',
  '/api/book-infos',
  '/nothing',
  '/api/users/me',
  '/api/book-infos/0',
  '/livez',
])('%s is never sniffed, framed, or loaded without TLS again', async (path) => {
  const { headers } = await lendline.api().get(path);
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers['x-frame-options']).toBe('SAMEORIGIN');
  expect(headers['content-security-policy']).toMatch(/default-src '(?:none|self)'/);
  expect(headers['referrer-policy']).toBe('no-referrer');
  expect(headers['content-type']).toMatch(/; charset=utf-8$/i);
  expect(
    Number(
      /max-age=(\d+); includeSubDomains/.exec(headers['strict-transport-security'] ?? '')?.[1],
    ),
  ).toBeGreaterThanOrEqual(YEAR_S);
  expect(headers['set-cookie']).toBeUndefined();
  expect(headers['x-powered-by']).toBeUndefined();
});
