import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Endpoint } from '../http/endpoint';

/** A page that people open in a browser. It needs nothing from anywhere else. */

/** Where the build puts the pages and what they load. */
export const WEB_FOLDER = join(__dirname, '..', 'web');

/** Nothing inline, nothing from outside. Style sheets hold their pictures as data. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join(';');

export interface PageOptions {
  readonly path: string;
  /** Of its operation in the document. */
  readonly id: string;
  readonly summary: string;
  /**
   * Below `WEB_FOLDER`. It is read each time, for the pages may be built anew, and then its files
   * have other names.
   */
  readonly file: string;
}

/** The page as an endpoint; its files are served apart. */
export function pageEndpoint({ path, id, summary, file }: PageOptions): Endpoint {
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
      headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': POLICY },
      json: await readFile(join(WEB_FOLDER, file), 'utf8'),
    }),
  };
}
