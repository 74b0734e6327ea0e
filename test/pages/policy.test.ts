import { READER_PLACES } from '../../api/pages/reader-places';
import { target, type Target } from '../support/service/target';

/** What holds for every page, as it is served. */

const PAGES = [
  '/',
  '/console',
  '/desk',
  '/docs',
  ...READER_PLACES.map((path) => path.replaceAll(/:\w+/g, '42')),
];

let lendline: Target;
beforeAll(async () => {
  lendline = await target();
});

describe.each(PAGES)('the page %s', (path) => {
  it('allows no script and no style but its own files, and is asked for anew each time', async () => {
    const { headers } = await lendline.api().get(path).expect(200);
    const policy = headers['content-security-policy']!;
    expect(policy).toMatch(/default-src 'none'.*script-src 'self';style-src 'self';/);
    expect(policy).not.toMatch(/unsafe|https?:/);
    expect(headers['cache-control']).toBe('no-store');
  });
});

it('serves files whose names change with what they hold, to be kept for ever', async () => {
  const { text } = await lendline.api().get('/').expect(200);
  const files = [...text.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, file]) => file!);
  expect(files.length).toBeGreaterThan(1);
  for (const file of files) {
    expect(file).toMatch(/-[\w-]{8}\.(js|css|svg)$/);
    const { headers } = await lendline.api().get(file).expect(200);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
  }
});

it('serves the worker for reading offline so that a newer one takes its place at once', async () => {
  const { headers } = await lendline.api().get('/offline.js').expect(200);
  expect(headers['cache-control']).toBe('public, max-age=0');
  expect(headers['content-type']).toMatch(/^text\/javascript/);
});

it('shows the page for readers at no path of the API', async () => {
  const { body } = await lendline.api().get('/openapi.json').expect(200);
  const shapes = Object.keys(body.paths).map((path) => path.replace(/\{\w+\}/g, '42'));
  expect(READER_PLACES.filter((path) => shapes.includes(path.replaceAll(/:\w+/g, '42')))).toEqual(
    [],
  );
  await lendline.api().post('/books').expect(404);
  await lendline.api().get('/books/42/more').expect(404);
});
