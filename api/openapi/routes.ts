import { createHash } from 'node:crypto';
import type { DocumentedRoute, Endpoint } from '../http/endpoint';
import { openApiDocument } from './document';

/**
 * Serves the documents. Each is made when it is asked for the first time, and then kept as text.
 */

interface Made {
  readonly json: string;
  readonly etag: string;
}

function make(document: object): Made {
  const json = JSON.stringify(document);
  // Weak, for it is compressed.
  return { json, etag: `W/"${createHash('sha1').update(json).digest('base64url')}"` };
}

interface Described {
  readonly path: string;
  /** The operation's id. */
  readonly id: string;
  readonly summary: string;
  /** The standard that the document follows. */
  readonly standard: string;
  readonly document: () => object;
}

export function documentEndpoint(described: Described): Endpoint {
  const { path, id, summary, standard, document } = described;
  let made: Made | undefined;
  return {
    method: 'get',
    path,
    who: 'public',
    kind: 'read',
    doc: {
      id,
      tag: 'Service',
      summary,
      answers: {
        200: { description: `${standard}.`, schema: { type: 'object' }, headers: ['ETag'] },
        304: { description: 'The version in `If-None-Match` is still current.', headers: ['ETag'] },
      },
    },
    handle: () => {
      const { json, etag } = (made ??= make(document()));
      return { status: 200, headers: { ETag: etag }, json };
    },
  };
}

/** `routes`: everything that is served, this one too. */
export const openApiEndpoint = (routes: () => readonly DocumentedRoute[]): Endpoint =>
  documentEndpoint({
    path: '/openapi.json',
    id: 'getDocument',
    summary: 'This document',
    standard: 'OpenAPI 3.1',
    document: () => openApiDocument(routes()),
  });
