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
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/** `videoOrigins`: from where the page may play videos. */
export function pageHeaders(videoOrigins: readonly string[] = []) {
  const from = videoOrigins.join(' ');
  const videos = videoOrigins.length > 0 ? [`media-src ${from}`, `frame-src ${from}`] : [];
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': [...POLICY, ...videos].join(';'),
  };
}

/**
 * Read each time, for the pages may be built anew, and then their files have other names. A page
 * cannot read its policy, so a `meta` element names the origins of videos.
 */
export async function pageText(file: string, videoOrigins: readonly string[] = []) {
  const text = await readFile(join(WEB_FOLDER, file), 'utf8');
  if (videoOrigins.length === 0) return text;
  return text.replace(
    '</head>',
    `<meta name="video-origins" content="${videoOrigins.join(' ')}"></head>`,
  );
}

export interface PageOptions {
  readonly path: string;
  /** Of its operation in the document. */
  readonly id: string;
  readonly summary: string;
  /** Below `WEB_FOLDER`. */
  readonly file: string;
  /** From where it may play videos. */
  readonly videoOrigins?: readonly string[];
}

/** The page as an endpoint; its files are served apart. */
export function pageEndpoint({ path, id, summary, file, videoOrigins }: PageOptions): Endpoint {
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
      headers: pageHeaders(videoOrigins),
      json: await pageText(file, videoOrigins),
    }),
  };
}
