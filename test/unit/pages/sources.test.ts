import { readApiConfig } from '../../../api/config';
import { pageHeaders } from '../../../api/pages/page';

/** From where the pages may load what is not their own. */

const JWT_SECRET = 'a secret of the tests, long enough to be one';
const coversOf = (COVER_HOSTS: string) => readApiConfig({ JWT_SECRET, COVER_HOSTS }).COVER_HOSTS;

const policyOf = (covers: readonly string[], videos: readonly string[] = []): string[] =>
  pageHeaders({ covers, videos })['Content-Security-Policy'].split(';');

it('allows no picture of others unless a host is named', () => {
  expect(readApiConfig({ JWT_SECRET }).COVER_HOSTS).toEqual([]);
  expect(policyOf([])).toContain("img-src 'self' data:");
  expect(pageHeaders()).toEqual(pageHeaders({ covers: [], videos: [] }));
});

it('allows pictures of the named hosts, and nothing else of them', () => {
  const hosts = coversOf('covers.example, *.img.example:8443,127.0.0.1:9000');
  expect(hosts).toEqual(['covers.example', '*.img.example:8443', '127.0.0.1:9000']);
  const policy = policyOf(hosts);
  expect(policy.filter((directive) => directive.includes('covers.example'))).toEqual([
    "img-src 'self' data: covers.example *.img.example:8443 127.0.0.1:9000",
  ]);
});

it('keeps hosts of covers apart from origins of videos', () => {
  const policy = policyOf(['covers.example'], ['https://videos.example']);
  expect(policy).toEqual(
    expect.arrayContaining([
      "img-src 'self' data: covers.example",
      'media-src https://videos.example',
      'frame-src https://videos.example',
    ]),
  );
});

it.each([
  ['an address', 'https://covers.example', 1],
  ['a path', 'covers.example/b', 1],
  ['everybody', '*', 1],
  ['a star in the middle', 'covers.*.example', 1],
  ['another directive', "covers.example;script-src 'unsafe-inline'", 1],
  ['two in one', 'a.example b.example', 1],
  ['an end of the element', 'a.example,"><script>', 2],
  ['nothing between two', 'a.example,,b.example', 2],
  ['a comma at the end', 'a.example,b.example,', 3],
])('names the invalid host: %s', (_, hosts, number) => {
  expect(() => coversOf(hosts)).toThrow(
    new RegExp(`^Bad configuration: COVER_HOSTS must be hosts .*number ${number} is none$`),
  );
});
