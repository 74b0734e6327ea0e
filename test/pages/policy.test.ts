import { target, type Target } from '../support/target';

/** What holds for every page, as it is served. */

const PAGES = ['/', '/console', '/docs'];

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
