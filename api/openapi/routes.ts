import { createHash } from 'node:crypto';
import type { DocumentedRoute, Endpoint } from '../http/endpoint';
import { openApiDocument } from './document';

/** Serves the document. It is made when it is asked for the first time, and then kept as text. */

interface Made {
  readonly json: string;
  readonly etag: string;
}

function make(routes: readonly DocumentedRoute[]): Made {
  const json = JSON.stringify(openApiDocument(routes));
  // Weak, for it is compressed.
  return { json, etag: `W/"${createHash('sha1').update(json).digest('base64url')}"` };
}

/** `routes`: everything that is served, this one too. */
export function documentEndpoint(routes: () => readonly DocumentedRoute[]): Endpoint {
  let made: Made | undefined;
  return {
    method: 'get',
    path: '/openapi.json',
    who: 'public',
    kind: 'read',
    doc: {
      id: 'getDocument',
      tag: 'Service',
      summary: 'This document',
      answers: {
        200: { description: 'OpenAPI 3.1.', schema: { type: 'object' }, headers: ['ETag'] },
        304: { description: 'What `If-None-Match` names is still true.', headers: ['ETag'] },
      },
    },
    handle: () => {
      const { json, etag } = (made ??= make(routes()));
      return { status: 200, headers: { ETag: etag }, json };
    },
  };
}
