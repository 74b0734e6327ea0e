import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Endpoint } from '../http/endpoint';

/** A page that people open in a browser. It needs nothing from anywhere else. */

/** Where the build puts the pages and what they load. */
export const WEB_FOLDER = join(__dirname, '..', 'web');

/** Nothing inline, nothing from outside. Style sheets hold their pictures as data. */
const POLICY: readonly string[] = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/** Other origins from which a page may load. */
export interface PageSources {
  /** Origins of videos. */
  readonly videos: readonly string[];
  /** Hosts of pictures of covers. */
  readonly covers: readonly string[];
}

const NO_SOURCES: PageSources = { videos: [], covers: [] };

export function pageHeaders({ videos, covers }: PageSources = NO_SOURCES) {
  const from = videos.join(' ');
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': [
      ...POLICY,
      ["img-src 'self' data:", ...covers].join(' '),
      ...(videos.length > 0 ? [`media-src ${from}`, `frame-src ${from}`] : []),
    ].join(';'),
  };
}

/**
 * Read each time, for the pages may be built anew, and then their files have other names. A page
 * cannot read its policy, so `meta` elements name the origins of videos and the hosts of covers.
 */
export async function pageText(file: string, { videos, covers }: PageSources = NO_SOURCES) {
  const text = await readFile(join(WEB_FOLDER, file), 'utf8');
  const allowed = { 'video-origins': videos, 'cover-hosts': covers };
  const metas = Object.entries(allowed)
    .filter(([, sources]) => sources.length > 0)
    .map(([name, sources]) => `<meta name="${name}" content="${sources.join(' ')}">`);
  return text.replace('</head>', `${metas.join('')}</head>`);
}

export interface PageOptions {
  readonly path: string;
  /** Of its operation in the document. */
  readonly id: string;
  readonly summary: string;
  /** Below `WEB_FOLDER`. */
  readonly file: string;
  readonly sources?: PageSources;
}

/** Returns the page as an endpoint; its files are served apart. */
export function pageEndpoint({ path, id, summary, file, sources }: PageOptions): Endpoint {
  return {
    method: 'get',
    path,
    who: 'public',
    kind: 'read',
    doc: {
      id,
      tag: 'Service',
      summary,
      answers: { 200: { description: 'The page.', schema: { type: 'string' }, type: 'text/html' } },
    },
    handle: async () => ({
      status: 200,
      headers: pageHeaders(sources),
      json: await pageText(file, sources),
    }),
  };
}
